// VectorKernels of a GPU, enqueued in a stream.
#pragma once

#include <memory>

#include "collectives/gpu/device.hpp"
#include "training/compressors/vector_kernels.hpp"

namespace arlab::training::cuda {

/// The device must be one of collectives::cuda. For one thread at a time.
SharedVectorKernels vector_kernels(std::shared_ptr<collectives::Device> device);

}  // namespace arlab::training::cuda
