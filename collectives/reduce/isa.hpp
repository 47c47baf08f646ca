// select_isa: chooses among kernels that were compiled for several instruction sets.
#pragma once

namespace arlab::collectives {

/// Returns the kernels for the newest instruction set of this processor. A null pointer stands for
/// kernels that the build does not have.
template <class Kernels>
const Kernels& select_isa(const Kernels& baseline, const Kernels* avx2, const Kernels* avx512) {
#if defined(__x86_64__) || defined(__i386__)
  if (avx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return *avx512;
  if (avx2 && __builtin_cpu_supports("avx2"))  // and so F16C, which came before it
    return *avx2;
#else
  (void)avx2;
  (void)avx512;
#endif
  return baseline;
}

}  // namespace arlab::collectives
