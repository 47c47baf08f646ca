// The compressors' kernels for x86 processors with AVX2; compiled with its flags (CMakeLists.txt).
#if defined(__AVX2__)
#include "training/compressors/kernels/kernels.inc"

namespace arlab::training {

const EncodeKernels* avx2_encode_kernels() {
  static constexpr EncodeKernels kKernels = encode_kernels_for("AVX2");
  return &kKernels;
}

}  // namespace arlab::training
#else
#include "training/compressors/kernels/kernels.hpp"

namespace arlab::training {

const EncodeKernels* avx2_encode_kernels() { return nullptr; }

}  // namespace arlab::training
#endif
