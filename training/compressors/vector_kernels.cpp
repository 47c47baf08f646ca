#include "training/compressors/vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "collectives/gpu/device.hpp"
#include "collectives/reduce/half.hpp"
#include "collectives/reduce/reduce.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training {

namespace {

constexpr Count kBucketHead = 2 * sizeof(float);  // of a bucket: its step and its zero point

void to_buckets(std::byte* code, const float* x, Count n, Count bucket) {
  const Buckets buckets{n, bucket};
  const std::span all(code, static_cast<std::size_t>(n + kBucketHead * buckets.count()));
  std::byte* const bytes = code + kBucketHead * buckets.count();
  for (Count b = 0; b < buckets.count(); ++b) {
    const float* const its = x + buckets.begin(b);
    const Extent extent = encode_kernels().extent(its, buckets.size(b));
    auto step = static_cast<float>((double{extent.max} - double{extent.min}) / 255);
    if (step < std::numeric_limits<float>::min()) step = 0;
    const float times = step > 0 && extent.finite ? 1 / step : 0;
    const float zero = std::nearbyint(-extent.min * times);
    if (!extent.finite) step = std::numeric_limits<float>::quiet_NaN();
    store(all, 2 * b, step);
    store(all, 2 * b + 1, zero);
    encode_kernels().to_bytes(bytes + buckets.begin(b), its, buckets.size(b), times, zero);
  }
}

void add_buckets(float* into, const std::byte* code, Count n, Count bucket, float weight) {
  const Buckets buckets{n, bucket};
  const std::span all(code, static_cast<std::size_t>(n + kBucketHead * buckets.count()));
  const std::byte* const bytes = code + kBucketHead * buckets.count();
  for (Count b = 0; b < buckets.count(); ++b)
    encode_kernels().add_bytes(into + buckets.begin(b), bytes + buckets.begin(b), buckets.size(b),
                               weight * load<float>(all, 2 * b), load<float>(all, 2 * b + 1));
}

constexpr Count kMeansHead = 2 * sizeof(float);  // of a code: the mean of each sign
constexpr Count kScaleHead = sizeof(float);

std::span<std::byte> head(std::byte* code, Count bytes) {
  return {code, static_cast<std::size_t>(bytes)};
}
std::span<const std::byte> head(const std::byte* code, Count bytes) {
  return {code, static_cast<std::size_t>(bytes)};
}

void to_means(std::byte* code, const float* x, Count n, std::byte*) {
  const SignSums sums = encode_kernels().sign_sums(x, n);
  const bool finite = std::isfinite(sums.clear) && std::isfinite(sums.set);
  const auto mean = [finite](double sum, Count count) {
    if (!finite) return std::numeric_limits<float>::quiet_NaN();
    return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.0f;
  };
  store(head(code, kMeansHead), 0, mean(sums.clear, n - sums.negatives));
  store(head(code, kMeansHead), 1, mean(sums.set, sums.negatives));
  encode_kernels().pack_signs(code + kMeansHead, x, n);
}

void add_means(float* into, const std::byte* code, Count n, float weight) {
  const auto means = head(code, kMeansHead);
  encode_kernels().add_signs(into, code + kMeansHead, n, weight * load<float>(means, 0),
                             weight * load<float>(means, 1));
}

void to_scaled_signs(std::byte* code, const float* x, Count n, std::byte*) {
  const double mean = n > 0 ? encode_kernels().sum_of_magnitudes(x, n) / static_cast<double>(n) : 0;
  store(head(code, kScaleHead), 0,
        std::isfinite(mean) ? static_cast<float>(mean) : std::numeric_limits<float>::quiet_NaN());
  encode_kernels().pack_signs(code + kScaleHead, x, n);
}

void add_scaled_signs(float* into, const std::byte* code, Count n, float weight) {
  const float scale = weight * load<float>(head(code, kScaleHead), 0);
  encode_kernels().add_signs(into, code + kScaleHead, n, scale, -scale);
}

void to_unit_halves(std::byte* code, const float* x, Count n) {
  constexpr collectives::Float16 kPlus{0x3c00}, kMinus{0xbc00}, kNeither{0};
  for (Count i = 0; i < n; ++i)
    store(head(code, 2 * n), i, x[i] == 0 ? kNeither : std::signbit(x[i]) ? kMinus : kPlus);
}

void multiply(float* x, Count n, float factor) {
  for (Count i = 0; i < n; ++i) x[i] *= factor;
}

void divide(float* x, Count n, float divisor) {
  collectives::scale(reinterpret_cast<std::byte*>(x), n, collectives::DType::float32, divisor);
}

void to_signs(float* x, Count n, float least) {
  for (Count i = 0; i < n; ++i) x[i] = x[i] > least ? 1.0f : x[i] < -least ? -1.0f : 0.0f;
}

collectives::DeviceMemory allocate(std::size_t bytes) {
  return {new std::byte[bytes], bytes, [](std::byte* data) { delete[] data; }};
}

void copy(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(into, from, bytes);
}

}  // namespace

void VectorKernels::wait() const {
  if (stream) stream->synchronize();
}

void VectorKernels::settle() const noexcept {
  if (stream) stream->settle();
}

SharedVectorKernels processor_kernels() {
  static const auto only = [] {
    const EncodeKernels& its = encode_kernels();
    return std::make_shared<const VectorKernels>(VectorKernels{
        .where = std::string(its.instructions),
        .allocate = allocate,
        .copy = copy,
        .to_halves = its.to_halves,
        .add_halves = its.add_halves,
        .to_bfloats = its.to_bfloats,
        .add_bfloats = its.add_bfloats,
        .pack_votes = its.pack_votes,
        .add_signs = its.add_signs,
        .add_scaled = its.add_scaled,
        .drop_not_finite = its.drop_not_finite,
        .to_buckets = to_buckets,
        .add_buckets = add_buckets,
        .to_unit_halves = to_unit_halves,
        .to_means = to_means,
        .add_means = add_means,
        .to_scaled_signs = to_scaled_signs,
        .add_scaled_signs = add_scaled_signs,
        .sum_scratch = [](Count) { return std::size_t{0}; },
        .clear = [](float* x, Count n) { std::fill_n(x, n, 0.0f); },
        .multiply = multiply,
        .divide = divide,
        .to_signs = to_signs,
        .is_finite = [](const float* x,
                        Count n) { return encode_kernels().largest(x, n) < kInfinity; }});
  }();
  return only;
}

}  // namespace arlab::training
