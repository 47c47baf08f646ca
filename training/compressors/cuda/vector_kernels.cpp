#include "training/compressors/cuda/vector_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
#include "training/compressors/cuda/codes.hpp"

namespace arlab::training::cuda {
namespace {

/// One vector and one code on the GPU, in memory that grows with them.
class Workbench {
 public:
  explicit Workbench(std::shared_ptr<collectives::Device> device)
      : device_(std::move(device)), stream_(device_->make_stream()) {}

  /// Makes a code of x by make(code, x, launch).
  template <class Make>
  void encode(std::byte* code, std::size_t code_bytes, const float* x, Count n, Make make) {
    if (n == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
    reserve(bytes, code_bytes);
    stream_->copy(vector_.data(), reinterpret_cast<const std::byte*>(x), bytes);
    make(code_.data(), reinterpret_cast<const float*>(vector_.data()), launch());
    stream_->copy(code, code_.data(), code_bytes);
    stream_->synchronize();
  }

  /// Adds a code to `into` by add(into, code, launch).
  template <class Add>
  void decode(float* into, const std::byte* code, std::size_t code_bytes, Count n, Add add) {
    if (n == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
    reserve(bytes, code_bytes);
    stream_->copy(code_.data(), code, code_bytes);
    stream_->copy(vector_.data(), reinterpret_cast<const std::byte*>(into), bytes);
    add(reinterpret_cast<float*>(vector_.data()), code_.data(), launch());
    stream_->copy(reinterpret_cast<std::byte*>(into), vector_.data(), bytes);
    stream_->synchronize();
  }

 private:
  Launch launch() {
    collectives::cuda::use_device(collectives::cuda::index_of(*device_));
    return {collectives::cuda::handle(*stream_), collectives::cuda::kUsualBlocks};
  }
  void reserve(std::size_t vector, std::size_t code) {
    if (vector_.size() < vector) vector_ = device_->allocate(vector);
    if (code_.size() < code) code_ = device_->allocate(code);
  }

  std::shared_ptr<collectives::Device> device_;
  std::unique_ptr<collectives::DeviceStream> stream_;
  collectives::DeviceMemory vector_, code_;
};

std::size_t halves(Count n) { return 2 * static_cast<std::size_t>(n); }
std::size_t bits(Count n) { return static_cast<std::size_t>((n + 7) / 8); }
std::size_t bucketed(Count n, Count bucket) {
  return static_cast<std::size_t>(n + 8 * ((n + bucket - 1) / bucket));
}

}  // namespace

SharedVectorKernels vector_kernels(std::shared_ptr<collectives::Device> device) {
  const std::string where = "GPU " + std::to_string(collectives::cuda::index_of(*device));
  const auto on = std::make_shared<Workbench>(std::move(device));
  VectorKernels its;
  its.where = where;
  its.to_halves = [on](std::byte* code, const float* x, Count n, float divisor) {
    on->encode(code, halves(n), x, n, [&](std::byte* made, const float* from, const Launch& l) {
      to_halves(made, from, n, divisor, l);
    });
  };
  its.add_halves = [on](float* into, const std::byte* code, Count n, float weight) {
    on->decode(into, code, halves(n), n, [&](float* sum, const std::byte* from, const Launch& l) {
      add_halves(sum, from, n, weight, l);
    });
  };
  its.to_bfloats = [on](std::byte* code, const float* x, Count n) {
    on->encode(code, halves(n), x, n, [&](std::byte* made, const float* from, const Launch& l) {
      to_bfloats(made, from, n, l);
    });
  };
  its.add_bfloats = [on](float* into, const std::byte* code, Count n, float weight) {
    on->decode(into, code, halves(n), n, [&](float* sum, const std::byte* from, const Launch& l) {
      add_bfloats(sum, from, n, weight, l);
    });
  };
  its.pack_signs = [on](std::byte* code, const float* x, Count n) {
    on->encode(code, bits(n), x, n, [&](std::byte* made, const float* from, const Launch& l) {
      pack_signs(made, from, n, l);
    });
  };
  its.add_signs = [on](float* into, const std::byte* code, Count n, float clear, float set) {
    on->decode(into, code, bits(n), n, [&](float* sum, const std::byte* from, const Launch& l) {
      add_signs(sum, from, n, clear, set, l);
    });
  };
  its.to_buckets = [on](std::byte* code, const float* x, Count n, Count bucket) {
    on->encode(code, bucketed(n, bucket), x, n,
               [&](std::byte* made, const float* from, const Launch& l) {
                 to_buckets(made, from, n, bucket, l);
               });
  };
  its.add_buckets = [on](float* into, const std::byte* code, Count n, Count bucket, float weight) {
    on->decode(into, code, bucketed(n, bucket), n,
               [&](float* sum, const std::byte* from, const Launch& l) {
                 add_buckets(sum, from, n, bucket, weight, l);
               });
  };
  return std::make_shared<const VectorKernels>(std::move(its));
}

}  // namespace arlab::training::cuda
