#include "training/compressors/kernels/kernels.hpp"

#include "collectives/reduce/isa.hpp"

namespace arlab {

const EncodeKernels& encode_kernels() {
  static const EncodeKernels& chosen =
      best(baseline_encode_kernels(), avx2_encode_kernels(), avx512_encode_kernels());
  return chosen;
}

}  // namespace arlab
