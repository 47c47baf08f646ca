// Calls to CUDA: what went wrong as an Error, and the device that a call is for.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::collectives::cuda {

inline void check(cudaError_t code, const char* doing) {
  if (code == cudaSuccess) return;
  fail(Blame::environment, std::string("CUDA failed in ") + doing + ": " + cudaGetErrorName(code) +
                               ", " + cudaGetErrorString(code));
}

/// What follows on this thread is for this device.
inline void use_device(int index) { check(cudaSetDevice(index), "cudaSetDevice"); }

}  // namespace arlab::collectives::cuda
