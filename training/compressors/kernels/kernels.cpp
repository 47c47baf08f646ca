#include "training/compressors/kernels/kernels.hpp"

#include "collectives/reduce/isa.hpp"

namespace arlab::training {

const EncodeKernels& encode_kernels() {
  static const EncodeKernels& chosen =
      collectives::select_isa(baseline_encode_kernels(), avx2_encode_kernels(), avx512_encode_kernels());
  return chosen;
}

}  // namespace arlab::training
