// VectorKernels of a GPU: vectors are copied there, and codes back, or the other way round.
#pragma once

#include <memory>

#include "collectives/gpu/device.hpp"
#include "training/compressors/vector_kernels.hpp"

namespace arlab::training::cuda {

/// The device must be one of collectives::cuda. For one thread at a time. Throws Error(environment) where
/// its memory has no room for a vector and its code.
SharedVectorKernels vector_kernels(std::shared_ptr<collectives::Device> device);

}  // namespace arlab::training::cuda
