// TernGrad: rounds each element randomly to -s, 0 or s, where s is the largest magnitude; |g| / s
// is the probability of a nonzero element.
//
// Elements beyond `clip` standard deviations are clipped first, unless all are equal. The code is
// unbiased for the clipped elements. In an all-gather it takes two bits per element and s. For an
// allreduce the ranks first agree on s (a maximum); then they sum the signs -1, 0, 1 as float16,
// which holds integers exactly up to 2048. Wen et al., TernGrad, NeurIPS 2017.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/half.hpp"
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kBits = 2;

/// Returns the largest magnitude to send, or NaN if an element is not finite.
float bound_of(std::span<const float> x, double clip) {
  const Count n = length(x);
  const std::uint32_t largest = encode_kernels().largest(x.data(), n);
  if (largest >= kInfinity) return kNan;
  const auto max = std::bit_cast<float>(largest);
  if (clip == 0 || n == 0) return max;
  const SignSums sums = encode_kernels().sign_sums(x.data(), n);
  const double mean = (sums.clear + sums.set) / static_cast<double>(n);
  const double square = encode_kernels().sum_of_squares(x.data(), n) / static_cast<double>(n);
  const double sigma = std::sqrt(std::max(0.0, square - mean * mean));
  return sigma > 0 ? std::min(max, static_cast<float>(clip * sigma)) : max;
}

/// Returns the probability per unit of magnitude; 0 sends only zeros.
float times_of(float bound) { return bound >= std::numeric_limits<float>::min() ? 1 / bound : 0; }

class TernGrad final : public Compressor {
 public:
  TernGrad(Count n, double clip)
      : clip_(clip),
        packed_(n, kBits),
        code_(sizeof(float) + static_cast<std::size_t>(packed_.bytes())) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    const float bound = bound_of(gradient, clip_);
    store(code_, 0, bound);
    packed_.encode(code_.data() + sizeof(float), context,
                   [&](std::uint8_t* codes, const std::uint32_t* random, Count first, Count count) {
                     encode_kernels().to_levels(codes, gradient.data() + first, random, count,
                                                times_of(bound), 1);
                   });
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    packed_.decode(code.data() + sizeof(float),
                   [&](const std::uint8_t* codes, Count first, Count count) {
                     encode_kernels().add_bytes(into.data() + first, as_bytes(codes), count,
                                                weight * load<float>(code, 0), 1);
                   });
  }

 private:
  double clip_;
  PackedCodes packed_;
  std::vector<std::byte> code_;
};

class SharedTernGrad final : public Compressor {
 public:
  SharedTernGrad(Count n, double clip)
      : Compressor(Operands{{collectives::DType::float32, collectives::Op::max},
                            {collectives::DType::float16, collectives::Op::sum}}),
        clip_(clip),
        clipped_(static_cast<std::size_t>(n)),
        code_(static_cast<std::size_t>(2 * n)) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    if (context.ranks > 2048)
      fail(Blame::usage,
           "compressor terngrad: an allreduce of float16 counts up to 2048 ranks, but there are " +
               std::to_string(context.ranks) + ": use all_gather");
    bound_ = bound_of(gradient, clip_);
    // A maximum may lose a NaN, but not an infinity.
    if (std::isnan(bound_)) bound_ = std::numeric_limits<float>::infinity();
    const float own = bound_;
    std::transform(gradient.begin(), gradient.end(), clipped_.begin(),
                   [own](float x) { return std::clamp(x, -own, own); });
    return std::as_writable_bytes(std::span(&bound_, 1));
  }
  std::span<std::byte> next(const EncodeContext& context) override {
    RandomWords random(context);
    const float times = std::isfinite(bound_) ? times_of(bound_) : 0;
    for_blocks(length(clipped_), [&](Count first, Count count) {
      std::uint8_t signs[kBlock];
      encode_kernels().to_levels(signs, clipped_.data() + first, random.at(first, count), count,
                                 times, 1);
      for (Count i = 0; i < count; ++i) store(code_, first + i, kHalves[signs[i]]);
    });
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    encode_kernels().add_halves(into.data(), code.data(), length(into),
                                weight * (std::isfinite(bound_) ? bound_ : kNan));
  }

 private:
  static constexpr collectives::Float16 kHalves[] = {{0xbc00}, {0}, {0x3c00}};  // -1, 0, 1

  double clip_;
  float bound_ = 0;  // the same on all ranks after the first pass
  std::vector<float> clipped_;
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation aggregation) {
  const double clip = value(choice, "clip");
  if (aggregation == Aggregation::allreduce)
    return std::make_unique<SharedTernGrad>(elements(layout), clip);
  return std::make_unique<TernGrad>(elements(layout), clip);
}

/// An average must not be clipped again.
std::unique_ptr<Compressor> reply(const TensorShapes& layout, const CompressorChoice&) {
  return std::make_unique<TernGrad>(elements(layout), 0);
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&,
                            Aggregation aggregation, Count) {
  const Count n = elements(layout), bound = sizeof(float);
  return bound + (aggregation == Aggregation::allreduce ? 2 * n : bytes_of_bits(kBits * n));
}

/// A quarter of the bound in most elements and one large element give an error of more than the
/// norm, whatever the clipping.
std::string no_feedback(const Values&) {
  return "since small elements become as large as the largest one: leave feedback=on out, or use "
         "ef_signsgd or onebit";
}

// The largest magnitude, and the two sums of clipping, precede the signs.
CodecWork work(const CompressorChoice& choice, Count) {
  const double passes = value(choice, "clip") == 0 ? 2 : 4;
  return {.encode = passes * kMovesFloat + kBits * kMovesBit,
          .decode = kBits * kMovesBit + kMovesSum};
}

}  // namespace

CompressorKind terngrad() {
  return {
      .name = "terngrad",
      .label = "TernGrad",
      .summary = "-s, 0 or s at random, after clipping",
      .source = "Wen et al., NeurIPS 2017",
      .size = "ceil(n/4) + 4; 2n + 4 by allreduce",
      .special_values = "any NaN or infinity makes all elements NaN; subnormal magnitudes become 0",
      .parameters = {{"clip", Parameter::Unit::number, "2.5",
                      "clips at this number of standard deviations; 0: does not clip", 0, 1e9}},
      .aggregations = {Aggregation::all_gather, Aggregation::allreduce},
      .unbiased = "with clip=0",
      .packed = packed,
      .work = work,
      .make = make,
      .make_reply = reply,
      .no_feedback = no_feedback,
  };
}

}  // namespace arlab::training::compressor_catalog
