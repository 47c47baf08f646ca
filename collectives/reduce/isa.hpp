// select_isa: chooses among kernels that were compiled for several instruction sets.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace arlab::collectives {

#if defined(__x86_64__) || defined(__i386__)
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/// Of AVX-512, arithmetic in float16. Not all compilers know its name.
inline bool has_avx512_fp16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 23 & 1) != 0;
}
#endif

/// Returns the kernels for the newest instruction set of this processor. A null pointer stands for
/// kernels that the build does not have.
template <class Kernels>
const Kernels& select_isa(const Kernels& baseline, const Kernels* avx2, const Kernels* avx512,
                          const Kernels* avx512_fp16 = nullptr) {
#if defined(__x86_64__) || defined(__i386__)
  if (avx512_fp16 && has_avx512_fp16()) return *avx512_fp16;
  if (avx512 && has_avx512()) return *avx512;
  if (avx2 && __builtin_cpu_supports("avx2"))  // and so F16C, which came before it
    return *avx2;
#else
  (void)avx2;
  (void)avx512;
  (void)avx512_fp16;
#endif
  return baseline;
}

}  // namespace arlab::collectives
