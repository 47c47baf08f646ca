// The CUDA kernels behind a stream's arithmetic, as functions that launch them.
//
// Memory that both operands have at the same offset from a 16-byte boundary is read and written 16
// bytes at a time, except for the odd elements at its head and tail; otherwise element by element.
// Results are bit for bit those of reduce.hpp, but for NaN.
#pragma once

#include <cuda_runtime_api.h>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives::cuda {

/// Where kernels go. `blocks`: as many as fill the device.
struct Launch {
  cudaStream_t stream = nullptr;
  int blocks = 1;
};

/// Whether there are kernels for the current device.
bool fits_device();

void copy(std::byte* into, const std::byte* from, std::size_t bytes, const Launch& launch);
void reduce(std::byte* into, const std::byte* from, Count elements, Operand operand,
            const Launch& launch);
void scale(std::byte* data, Count elements, DType dtype, double divisor, const Launch& launch);
/// Adds to the Count at `counter`.
void count_different(std::byte* counter, const std::byte* a, const std::byte* b, Count elements,
                     DType dtype, const Launch& launch);

}  // namespace arlab::collectives::cuda
