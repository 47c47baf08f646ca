// Codes of compressors made on the GPU of a rank.
#pragma once

#include "training/compressors/vector_kernels.hpp"

namespace arlab::bench {

/// Returns the kernels of the GPU of the rank with that number among those on its machine, which
/// take the GPUs in turn; null where there is none. For one thread at a time.
training::SharedVectorKernels gpu_codes(Rank local_rank);

}  // namespace arlab::bench
