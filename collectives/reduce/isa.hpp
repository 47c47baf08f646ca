// Instructions: which of the kernels that were compiled for several instruction sets runs here.
#pragma once

namespace arlab::collectives {

/// The kernels for the newest instruction set that this processor has; nullptr where the build has
/// none for it.
template <class Kernels>
const Kernels& best(const Kernels& baseline, const Kernels* avx2, const Kernels* avx512) {
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
