// The kernels behind a GPU's DeviceMath, as functions that launch them. All memory is the GPU's.
#pragma once

#include "collectives/cuda/kernels.hpp"
#include "training/replica/update.hpp"

namespace arlab::training::cuda {

using collectives::cuda::Launch;

/// Loads all kernels below on the current device: the first launch of one would wait for what runs
/// there.
void load_updates();

/// Changes weights and moments as the processor does, to the bit.
void update(const Update& step, const UpdatedPart& part, const Launch& launch);
void clear(float* x, Count n, const Launch& launch);
/// Sets *found to 1 if an element is infinite or NaN. `found` is memory of the GPU, or pinned.
void find_not_finite(int* found, const float* x, Count n, const Launch& launch);

}  // namespace arlab::training::cuda
