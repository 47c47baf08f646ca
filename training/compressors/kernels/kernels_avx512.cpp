// The encode kernels for x86 processors with AVX-512; CMakeLists.txt sets the compiler flags.
#if defined(__AVX512F__)
#include "training/compressors/kernels/kernels.inc"

namespace arlab::training {

const EncodeKernels* avx512_encode_kernels() {
  static constexpr EncodeKernels kKernels = encode_kernels_for("AVX-512");
  return &kKernels;
}

}  // namespace arlab::training
#else
#include "training/compressors/kernels/kernels.hpp"

namespace arlab::training {

const EncodeKernels* avx512_encode_kernels() { return nullptr; }

}  // namespace arlab::training
#endif
