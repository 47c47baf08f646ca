#include "training/compressors/kernels.hpp"

#include "collectives/instructions.hpp"

namespace arlab {

const EncodeKernels& encode_kernels() {
  static const EncodeKernels& chosen =
      best(baseline_encode_kernels(), avx2_encode_kernels(), avx512_encode_kernels());
  return chosen;
}

}  // namespace arlab
