// The reduce kernels for every processor that the program is built for.
#include "collectives/reduce/kernels.inc"

namespace arlab::collectives {

const ReduceKernels& baseline_kernels() {
  static constexpr ReduceKernels kKernels = kernels_for("baseline");
  return kKernels;
}

}  // namespace arlab::collectives
