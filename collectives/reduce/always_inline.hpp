// ARLAB_INLINE: for small functions of the kernels of CPUs and GPUs.
//
// Always inline on a CPU: some users are compiled for newer processors than the rest of the
// program, and the linker must not hand their copy to everyone.
#pragma once

#ifdef __CUDACC__
#define ARLAB_INLINE __host__ __device__ inline
#else
#define ARLAB_INLINE [[gnu::always_inline]] inline
#endif
