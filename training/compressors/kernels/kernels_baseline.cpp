// The encode kernels for every processor that the program is built for.
#include "training/compressors/kernels/kernels.inc"

namespace arlab::training {

const EncodeKernels& baseline_encode_kernels() {
  static constexpr EncodeKernels kKernels = encode_kernels_for("baseline");
  return kKernels;
}

}  // namespace arlab::training
