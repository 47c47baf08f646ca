// VectorKernels: encoding and decoding of whole vectors, on the processor or on a GPU.
//
// Both give the same codes, bit for bit. Vectors and codes lie in host memory; a GPU's kernels copy them
// there and back (cuda/vector_kernels.hpp). A compressor whose kind is `on_gpu` uses those of its choice;
// the others encode on the processor.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct VectorKernels {
  std::string where;  ///< such as "AVX2", or "GPU 0"

  // As EncodeKernels (kernels/kernels.hpp).
  std::function<void(std::byte* code, const float* x, Count n, float divisor)> to_halves;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_halves;
  std::function<void(std::byte* code, const float* x, Count n)> to_bfloats;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_bfloats;
  std::function<void(std::byte* bits, const float* x, Count n)> pack_signs;
  std::function<void(float* into, const std::byte* bits, Count n, float clear, float set)>
      add_signs;
  /// The code of int8.cpp: step and zero point of each bucket, then the bytes.
  std::function<void(std::byte* code, const float* x, Count n, Count bucket)> to_buckets;
  std::function<void(float* into, const std::byte* code, Count n, Count bucket, float weight)>
      add_buckets;
};

using SharedVectorKernels = std::shared_ptr<const VectorKernels>;

/// Those of this processor.
SharedVectorKernels processor_kernels();

}  // namespace arlab::training
