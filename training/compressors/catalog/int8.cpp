// int8: affine quantization to one byte; every bucket has its own step and zero point.
//
// q = round(x / s) + z with s = (max - min) / 255. The range is widened to include 0, so that 0
// stays 0. The bucket headers (s and z as floats) come first, then the bytes. Jacob et al.,
// Quantization and training of neural networks for efficient integer-arithmetic-only inference,
// CVPR 2018.
#include <algorithm>
#include <cmath>
#include <limits>

#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr Count kHeader = 2 * sizeof(float);

class Int8 final : public Compressor {
 public:
  Int8(Count n, Count bucket)
      : blocks_{n, bucket}, code_(static_cast<std::size_t>(n + kHeader * blocks_.count())) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    std::byte* const bytes = code_.data() + kHeader * blocks_.count();
    for (Count b = 0; b < blocks_.count(); ++b) {
      const float* x = gradient.data() + blocks_.begin(b);
      const Extent extent = encode_kernels().extent(x, blocks_.size(b));
      auto step = static_cast<float>((double{extent.max} - double{extent.min}) / 255);
      if (step < std::numeric_limits<float>::min()) step = 0;
      const float times = step > 0 && extent.finite ? 1 / step : 0;
      const float zero = std::nearbyint(-extent.min * times);
      if (!extent.finite) step = std::numeric_limits<float>::quiet_NaN();
      store(code_, 2 * b, step);
      store(code_, 2 * b + 1, zero);
      encode_kernels().to_bytes(bytes + blocks_.begin(b), x, blocks_.size(b), times, zero);
    }
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    const std::byte* const bytes = code.data() + kHeader * blocks_.count();
    for (Count b = 0; b < blocks_.count(); ++b)
      encode_kernels().add_bytes(into.data() + blocks_.begin(b), bytes + blocks_.begin(b),
                                 blocks_.size(b), weight * load<float>(code, 2 * b),
                                 load<float>(code, 2 * b + 1));
  }

 private:
  Buckets blocks_;
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Int8>(elements(layout), whole(choice, "bucket"));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  const Buckets buckets{elements(layout), whole(choice, "bucket")};
  return buckets.elements + kHeader * buckets.count();
}

}  // namespace

CompressorKind int8() {
  return {
      .name = "int8",
      .label = "int8 affine",
      .summary = "one byte per element: multiples of a step that each bucket chooses",
      .source = "Jacob et al., CVPR 2018",
      .size = "n + 8 ceil(n/bucket)",
      .special_values =
          "a bucket with a NaN or infinity becomes NaN; steps below the normal floats become 0",
      .parameters = {{"bucket", Parameter::Unit::count, "1024", "elements that share a step", 1,
                      1 << 30}},
      .aggregations = {Aggregation::requantize, Aggregation::all_gather},
      .packed = packed,
      .make = make,
  };
}

}  // namespace arlab::training::compressor_catalog
