// The reduce kernels for x86 processors with AVX2; compiled with its flags (CMakeLists.txt).
#if defined(__AVX2__)
#include "collectives/reduce/kernels.inc"

namespace arlab::collectives {

const ReduceKernels* avx2_kernels() {
  static constexpr ReduceKernels kKernels = kernels_for("AVX2");
  return &kKernels;
}

}  // namespace arlab::collectives
#else
#include "collectives/reduce/kernels.hpp"

namespace arlab::collectives {

const ReduceKernels* avx2_kernels() { return nullptr; }

}  // namespace arlab::collectives
#endif
