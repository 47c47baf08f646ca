// VectorKernels: encoding and decoding of whole vectors, on the processor or on a GPU, and memory
// for them.
//
// Both give the same codes and sums, bit for bit. Vectors, codes and what is else passed to them
// lie in memory of the kernels' own kind: the host's, or that of their device. Those of a GPU are
// enqueued in order, in a stream of their own. A compressor whose kind is `on_gpu` uses those of
// its choice; the others encode on the processor.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "algorithms/problem.hpp"
#include "collectives/gpu/device_handles.hpp"

namespace arlab::training {

struct VectorKernels {
  std::string where;  ///< such as "AVX2", or "GPU 0"
  /// The device on whose memory they work, and their stream; null: the host's, and nothing is
  /// enqueued.
  std::shared_ptr<collectives::Device> device = nullptr;
  std::shared_ptr<collectives::DeviceStream> stream = nullptr;

  /// Returns memory of their kind, of arbitrary contents. That of a device must not be allocated or
  /// freed while another rank waits for a message of this one.
  std::function<collectives::DeviceMemory(std::size_t bytes)> allocate;
  /// Between memory of their kind and itself, or host memory.
  std::function<void(std::byte* into, const std::byte* from, std::size_t bytes)> copy;

  // As EncodeKernels (kernels/kernels.hpp).
  std::function<void(std::byte* code, const float* x, Count n, float divisor)> to_halves;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_halves;
  std::function<void(std::byte* code, const float* x, Count n)> to_bfloats;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_bfloats;
  std::function<void(std::byte* bits, const float* x, Count n, bool odd)> pack_votes;
  std::function<void(float* into, const std::byte* bits, Count n, float clear, float set)>
      add_signs;
  std::function<void(float* into, const float* x, Count n, float weight)> add_scaled;
  std::function<void(float* x, Count n)> drop_not_finite;

  /// The code of int8.cpp: step and zero point of each bucket, then the bytes.
  std::function<void(std::byte* code, const float* x, Count n, Count bucket)> to_buckets;
  std::function<void(float* into, const std::byte* code, Count n, Count bucket, float weight)>
      add_buckets;
  /// Signs as float16: 1, -1, or 0.
  std::function<void(std::byte* code, const float* x, Count n)> to_unit_halves;
  /// The code of onebit.cpp: the means of the elements without and with a set sign bit, then the
  /// bits. `scratch`: sum_scratch(n) bytes.
  std::function<void(std::byte* code, const float* x, Count n, std::byte* scratch)> to_means;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_means;
  /// The code of scaled_sign.cpp: the mean magnitude, then the sign bits.
  std::function<void(std::byte* code, const float* x, Count n, std::byte* scratch)> to_scaled_signs;
  std::function<void(float* into, const std::byte* code, Count n, float weight)> add_scaled_signs;
  std::function<std::size_t(Count n)> sum_scratch;

  std::function<void(float* x, Count n)> clear;  ///< sets to 0
  std::function<void(float* x, Count n, float factor)> multiply;
  std::function<void(float* x, Count n, float divisor)> divide;
  /// 1 where it is above `least`, -1 where it is below -least, else 0.
  std::function<void(float* x, Count n, float least)> to_signs;
  /// Waits, and returns whether no element is infinite or NaN.
  std::function<bool(const float* x, Count n)> is_finite;

  /// Returns when everything is done.
  void wait() const;
  /// The same, as DeviceStream::settle().
  void settle() const noexcept;
};

using SharedVectorKernels = std::shared_ptr<const VectorKernels>;

/// Those of this processor.
SharedVectorKernels processor_kernels();

}  // namespace arlab::training
