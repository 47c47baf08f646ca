#include "training/compressors/vector_kernels.hpp"

#include <cmath>
#include <limits>

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

}  // namespace

SharedVectorKernels processor_kernels() {
  static const auto only = [] {
    const EncodeKernels& its = encode_kernels();
    return std::make_shared<const VectorKernels>(
        VectorKernels{.where = std::string(its.instructions),
                      .to_halves = its.to_halves,
                      .add_halves = its.add_halves,
                      .to_bfloats = its.to_bfloats,
                      .add_bfloats = its.add_bfloats,
                      .pack_signs = its.pack_signs,
                      .add_signs = its.add_signs,
                      .to_buckets = to_buckets,
                      .add_buckets = add_buckets});
  }();
  return only;
}

}  // namespace arlab::training
