// The reduce kernels for x86 processors with AVX-512 FP16, which adds and multiplies float16;
// compiled with its flags (CMakeLists.txt).
#if defined(__AVX512FP16__)
#include "collectives/reduce/kernels.inc"

namespace arlab::collectives {

const ReduceKernels* avx512_fp16_kernels() {
  static constexpr ReduceKernels kKernels = kernels_for("AVX-512 FP16");
  return &kKernels;
}

}  // namespace arlab::collectives
#else
#include "collectives/reduce/kernels.hpp"

namespace arlab::collectives {

const ReduceKernels* avx512_fp16_kernels() { return nullptr; }

}  // namespace arlab::collectives
#endif
