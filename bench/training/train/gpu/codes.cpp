#include "bench/training/train/gpu/codes.hpp"

#include "collectives/backends/gpus.hpp"
#include "collectives/local_rank.hpp"
#ifdef ARLAB_HAS_CUDA
#include "training/compressors/cuda/vector_kernels.hpp"
#endif

namespace arlab::bench {

#ifdef ARLAB_HAS_CUDA

training::SharedVectorKernels gpu_codes(Rank local_rank) {
  const Rank count = collectives::gpu_count();
  if (count == 0) return nullptr;
  return training::cuda::vector_kernels(collectives::gpu(collectives::gpu_of(local_rank, count)));
}

#else

training::SharedVectorKernels gpu_codes(Rank) { return nullptr; }

#endif

}  // namespace arlab::bench
