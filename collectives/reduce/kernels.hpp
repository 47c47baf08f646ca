// The kernels behind reduce: one source (kernels.inc), compiled once per instruction set.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

struct ReduceKernels {
  using Combine = void (*)(std::byte* into, const std::byte* from, Count elements);
  using Scale = void (*)(std::byte* data, Count elements, double divisor);

  std::string_view instructions;
  Combine combine[std::size(kDTypes)][std::size(kOps)];
  Scale scale[std::size(kDTypes)];
};

const ReduceKernels& baseline_kernels();

/// nullptr where this build has none. The caller checks that the processor has the instructions.
const ReduceKernels* avx2_kernels();
const ReduceKernels* avx512_kernels();
const ReduceKernels* avx512_fp16_kernels();

}  // namespace arlab::collectives
