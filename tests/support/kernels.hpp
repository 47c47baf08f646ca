// all_kernels: the reduce kernels that this processor can run.
#pragma once

#include <vector>

#include "collectives/reduce/isa.hpp"
#include "collectives/reduce/kernels.hpp"

namespace arlab::collectives {

inline std::vector<const ReduceKernels*> all_kernels() {
  std::vector<const ReduceKernels*> all{&baseline_kernels()};
#if defined(__x86_64__) || defined(__i386__)
  if (avx2_kernels() && __builtin_cpu_supports("avx2")) all.push_back(avx2_kernels());
  if (avx512_kernels() && has_avx512()) all.push_back(avx512_kernels());
  if (avx512_fp16_kernels() && has_avx512_fp16()) all.push_back(avx512_fp16_kernels());
#endif
  return all;
}

}  // namespace arlab::collectives
