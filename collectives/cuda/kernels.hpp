// The CUDA kernels behind a stream's arithmetic, as functions that launch them.
//
// Memory that both operands have at the same offset from a 16-byte boundary is read and written 16
// bytes at a time, except for the odd elements at its head and tail; otherwise element by element.
// Results are bit for bit those of reduce.hpp, but for NaN.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives::cuda {

inline constexpr int kThreads = 256;                ///< of a block
inline constexpr int kUsualBlocks = 1024;           ///< at most, of a kernel for which nobody chose
inline constexpr int kBlocksPerMultiprocessor = 4;  ///< that kernels are compiled to fit at once

/// Where kernels go. `blocks`: as many as fill the device.
struct Launch {
  cudaStream_t stream = nullptr;
  int blocks = 1;
  bool loads_only = false;  ///< loads the kernel instead of launching it
};

/// Whether there are kernels for the current device.
bool fits_device();
/// Loads all kernels below on the current device.
void load_kernels();

void copy(std::byte* into, const std::byte* from, std::size_t bytes, const Launch& launch);
/// Adds all senders in their order, and rounds after each: one pass over `into` for up to 8 of
/// them.
void reduce(std::byte* into, std::span<const std::byte* const> from, Count elements,
            Operand operand, const Launch& launch);
void scale(std::byte* data, Count elements, DType dtype, double divisor, const Launch& launch);
/// Adds to the Count at `counter`.
void count_different(std::byte* counter, const std::byte* a, const std::byte* b, Count elements,
                     DType dtype, const Launch& launch);

}  // namespace arlab::collectives::cuda
