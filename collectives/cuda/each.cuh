// A kernel that does something element by element.
#pragma once

#include "collectives/cuda/packs.cuh"

namespace arlab::collectives::cuda {

/// step(i) for all i below n.
template <class Step>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor) for_each(Count n, Step step) {
  for (Count i = thread_index(); i < n; i += thread_count()) step(i);
}

template <class Step>
void launch_for_each(Count n, const Launch& launch, Step step) {
  if (n == 0) return;
  launch_threads(for_each<Step>, n, launch, n, step);
}

}  // namespace arlab::collectives::cuda
