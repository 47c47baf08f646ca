#include "training/compressors/cuda/vector_kernels.hpp"

#include <utility>

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
#include "training/compressors/cuda/codes.hpp"
#include "training/replica/cuda/device_math.hpp"
#include "training/replica/cuda/updates.hpp"

namespace arlab::training::cuda {
namespace {

/// Loads all kernels: the first use of one may wait for work that waits for other ranks.
void load_kernels() {
  const Launch loads{.loads_only = true};
  to_halves(nullptr, nullptr, 1, 1, loads);
  add_halves(nullptr, nullptr, 1, 1, loads);
  to_bfloats(nullptr, nullptr, 1, loads);
  add_bfloats(nullptr, nullptr, 1, 1, loads);
  pack_signs(nullptr, nullptr, 1, loads);
  pack_votes(nullptr, nullptr, 1, false, loads);
  add_signs(nullptr, nullptr, 1, 1, 1, loads);
  to_unit_halves(nullptr, nullptr, 1, loads);
  to_signs(nullptr, 1, 0, loads);
  to_means(nullptr, nullptr, 1, nullptr, loads);
  add_means(nullptr, nullptr, 1, 1, loads);
  to_scaled_signs(nullptr, nullptr, 1, nullptr, loads);
  add_scaled_signs(nullptr, nullptr, 1, 1, loads);
  to_buckets(nullptr, nullptr, 1, 1, loads);
  add_buckets(nullptr, nullptr, 1, 1, 1, loads);
  add_scaled(nullptr, nullptr, 1, 1, loads);
  drop_not_finite(nullptr, 1, loads);
  multiply(nullptr, 1, 1, loads);
  divide(nullptr, 1, 1, loads);
  clear(nullptr, 1, loads);
  find_not_finite(nullptr, nullptr, 1, loads);
}

/// launch: a function that returns where and how kernels are launched.
template <class HowToLaunch>
void set_codes(VectorKernels& its, HowToLaunch launch) {
  its.to_halves = [launch](std::byte* code, const float* x, Count n, float divisor) {
    to_halves(code, x, n, divisor, launch());
  };
  its.add_halves = [launch](float* into, const std::byte* code, Count n, float weight) {
    add_halves(into, code, n, weight, launch());
  };
  its.to_bfloats = [launch](std::byte* code, const float* x, Count n) {
    to_bfloats(code, x, n, launch());
  };
  its.add_bfloats = [launch](float* into, const std::byte* code, Count n, float weight) {
    add_bfloats(into, code, n, weight, launch());
  };
  its.pack_votes = [launch](std::byte* bits, const float* x, Count n, bool odd) {
    pack_votes(bits, x, n, odd, launch());
  };
  its.add_signs = [launch](float* into, const std::byte* bits, Count n, float clear, float set) {
    add_signs(into, bits, n, clear, set, launch());
  };
  its.to_buckets = [launch](std::byte* code, const float* x, Count n, Count bucket) {
    to_buckets(code, x, n, bucket, launch());
  };
  its.add_buckets = [launch](float* into, const std::byte* code, Count n, Count bucket,
                             float weight) {
    add_buckets(into, code, n, bucket, weight, launch());
  };
  its.to_unit_halves = [launch](std::byte* code, const float* x, Count n) {
    to_unit_halves(code, x, n, launch());
  };
  its.to_means = [launch](std::byte* code, const float* x, Count n, std::byte* scratch) {
    to_means(code, x, n, scratch, launch());
  };
  its.add_means = [launch](float* into, const std::byte* code, Count n, float weight) {
    add_means(into, code, n, weight, launch());
  };
  its.to_scaled_signs = [launch](std::byte* code, const float* x, Count n, std::byte* scratch) {
    to_scaled_signs(code, x, n, scratch, launch());
  };
  its.add_scaled_signs = [launch](float* into, const std::byte* code, Count n, float weight) {
    add_scaled_signs(into, code, n, weight, launch());
  };
  its.sum_scratch = sum_scratch;
}

template <class HowToLaunch>
void set_arithmetic(VectorKernels& its, HowToLaunch launch) {
  its.add_scaled = [launch](float* into, const float* x, Count n, float weight) {
    add_scaled(into, x, n, weight, launch());
  };
  its.drop_not_finite = [launch](float* x, Count n) { drop_not_finite(x, n, launch()); };
  its.clear = [launch](float* x, Count n) { clear(x, n, launch()); };
  its.multiply = [launch](float* x, Count n, float factor) { multiply(x, n, factor, launch()); };
  its.divide = [launch](float* x, Count n, float divisor) { divide(x, n, divisor, launch()); };
  its.to_signs = [launch](float* x, Count n, float least) { to_signs(x, n, least, launch()); };
}

}  // namespace

SharedVectorKernels vector_kernels(std::shared_ptr<collectives::Device> device) {
  const std::shared_ptr<collectives::DeviceStream> stream = device->make_stream();
  const auto launch = [device, stream]() -> Launch {
    collectives::cuda::use_device(collectives::cuda::index_of(*device));
    return {collectives::cuda::handle(*stream), collectives::cuda::kUsualBlocks};
  };
  launch();  // makes the device the current one
  load_kernels();
  VectorKernels its;
  its.where = "GPU " + std::to_string(collectives::cuda::index_of(*device));
  its.device = device;
  its.stream = stream;
  its.allocate = [device](std::size_t bytes) { return device->allocate(bytes); };
  its.copy = [stream](std::byte* into, const std::byte* from, std::size_t bytes) {
    if (bytes > 0) stream->copy(into, from, bytes);
  };
  set_codes(its, launch);
  set_arithmetic(its, launch);
  its.is_finite = [device, stream, test = finite_test(*device, *stream)](const float* x, Count n) {
    return test({x, static_cast<std::size_t>(n)});
  };
  return std::make_shared<const VectorKernels>(std::move(its));
}

}  // namespace arlab::training::cuda
