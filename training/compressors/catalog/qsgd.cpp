// QSGD: rounds each element randomly to one of 2s+1 multiples of its bucket's norm / s, so that
// the expectation is the element.
//
// The norms come first, then the packed levels. This is the paper's method with the 2-norm and a
// fixed number of bits instead of Elias codes. Alistarh et al., QSGD: communication-efficient SGD
// via gradient quantization and encoding, NeurIPS 2017.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr Count kHeader = sizeof(float);
constexpr Count kMostLevels = 127;

/// Returns ceil(log2(2s + 1)).
int bits_of(int levels) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(2 * levels)));
}

class Qsgd final : public Compressor {
 public:
  Qsgd(Count n, int levels, Count bucket)
      : buckets_{n, bucket},
        levels_(levels),
        packed_(n, bits_of(levels)),
        code_(static_cast<std::size_t>(kHeader * buckets_.count() + packed_.bytes())) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    for (Count b = 0; b < buckets_.count(); ++b) {
      const float norm = static_cast<float>(std::sqrt(
          encode_kernels().sum_of_squares(gradient.data() + buckets_.begin(b), buckets_.size(b))));
      store(code_, b, std::isfinite(norm) ? norm : std::numeric_limits<float>::quiet_NaN());
    }
    packed_.encode(code_.data() + kHeader * buckets_.count(), context,
                   [&](std::uint8_t* codes, const std::uint32_t* random, Count first, Count count) {
                     quantize(codes, random, gradient, first, count);
                   });
    return code_;
  }

  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    packed_.decode(code.data() + kHeader * buckets_.count(),
                   [&](const std::uint8_t* codes, Count first, Count count) {
                     buckets_.each(first, count, [&](Count b, Count at, Count size) {
                       const float step = load<float>(code, b) / static_cast<float>(levels_);
                       encode_kernels().add_bytes(into.data() + at, as_bytes(codes + (at - first)),
                                                  size, weight * step, static_cast<float>(levels_));
                     });
                   });
  }

 private:
  void quantize(std::uint8_t* codes, const std::uint32_t* random, std::span<const float> gradient,
                Count first, Count count) const {
    buckets_.each(first, count, [&](Count b, Count at, Count size) {
      const float norm = load<float>(code_, b);
      // If s / norm is not a float, all elements are too small to count and become 0.
      const float times = static_cast<float>(levels_) / norm;
      encode_kernels().to_levels(codes + (at - first), gradient.data() + at, random + (at - first),
                                 size, std::isfinite(times) ? times : 0, levels_);
    });
  }

  Buckets buckets_;
  int levels_;
  PackedCodes packed_;
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Qsgd>(elements(layout), static_cast<int>(whole(choice, "levels")),
                                whole(choice, "bucket"));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  const Buckets buckets{elements(layout), whole(choice, "bucket")};
  const int bits = bits_of(static_cast<int>(whole(choice, "levels")));
  return bytes_of_bits(buckets.elements * bits) + kHeader * buckets.count();
}

/// With d elements per bucket and s levels, an element's variance is at most a quarter of the
/// squared distance between levels, and at most its magnitude times that distance; so the squared
/// error is at most min(d / 4s^2, sqrt(d) / s) times the squared norm.
std::string no_feedback(const Values& values) {
  const double bucket = values.find("bucket")->second, levels = values.find("levels")->second;
  const double error = std::min(bucket / (4 * levels * levels), std::sqrt(bucket) / levels);
  if (error < 1) return "";
  const auto least = static_cast<Count>(std::floor(std::sqrt(bucket) / 2)) + 1;
  return "since its squared error may be " + std::to_string(error).substr(0, 4) +
         " times the square of what it encodes: it is unbiased, so leave feedback=on out, or use " +
         (least <= kMostLevels ? "levels=" + std::to_string(least) + " or more"
                               : "a smaller bucket") +
         ", or int8";
}

// All norms precede the levels.
CodecWork work(const CompressorChoice& choice, Count) {
  const double code = bits_of(static_cast<int>(whole(choice, "levels"))) * kMovesBit;
  return {.encode = 2 * kMovesFloat + code, .decode = code + kMovesSum};
}

}  // namespace

CompressorKind qsgd() {
  return {
      .name = "qsgd",
      .label = "QSGD",
      .summary = "multiples of norm/levels, rounded randomly",
      .source = "Alistarh et al., NeurIPS 2017",
      .size = "ceil(n ceil(log2(2 levels + 1)) / 8) + 4 ceil(n/bucket)",
      .special_values =
          "a bucket with a NaN, an infinity or a norm beyond float becomes NaN; one whose norm is "
          "not a "
          "normal float may become 0",
      .parameters = {{"levels", Parameter::Unit::count, "7", "positive multiples of the norm", 1,
                      kMostLevels},
                     {"bucket", Parameter::Unit::count, "512", "elements that share a norm", 1,
                      1 << 30}},
      .aggregations = {Aggregation::requantize, Aggregation::all_gather},
      .unbiased = "yes",
      .packed = packed,
      .work = work,
      .make = make,
      .no_feedback = no_feedback,
  };
}

}  // namespace arlab::training::compressor_catalog
