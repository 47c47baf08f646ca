// Natural compression: rounds each element randomly to one of the two nearest powers of two.
//
// The fraction is the probability of rounding up, so that the code is unbiased. A byte holds the
// sign and 7 bits of the exponent: 0, then 2^-94 to 2^30. Smaller magnitudes become 0 or 2^-94 at
// random. Horvath et al., Natural compression for distributed deep learning, MSML 2022.
#include <array>
#include <cmath>
#include <limits>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr std::array<float, 256> kPowers = [] {
  std::array<float, 256> powers{};
  float power = 0x1p-94f;
  for (std::size_t c = 1; c <= 125; ++c, power *= 2) powers[c] = power;
  powers[126] = std::numeric_limits<float>::infinity();
  powers[127] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t c = 0; c < 128; ++c) powers[c + 128] = -powers[c];
  return powers;
}();

class Natural final : public Compressor {
 public:
  explicit Natural(Count n) : code_(static_cast<std::size_t>(n)) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    RandomWords random(context);
    for_blocks(length(gradient), [&](Count first, Count count) {
      encode_kernels().round_to_powers_of_two(code_.data() + first, gradient.data() + first,
                                              random.at(first, count), count);
    });
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] += weight * kPowers[static_cast<std::size_t>(code[i])];
  }

 private:
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice&, Aggregation) {
  return std::make_unique<Natural>(elements(layout));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&, Aggregation,
                            Count) {
  return elements(layout);
}

CodecWork work(const CompressorChoice&, Count) {
  return {.encode = kMovesFloat + kMovesByte, .decode = kMovesByte + kMovesSum};
}

}  // namespace

CompressorKind natural() {
  return {
      .name = "natural",
      .label = "natural",
      .summary = "powers of two, rounded randomly: sign and exponent remain",
      .source = "Horvath et al., MSML 2022",
      .size = "n",
      .special_values =
          "NaN and infinities are kept; above 2^30 may become infinite; below 2^-94 becomes 0 or "
          "2^-94",
      .aggregations = {Aggregation::requantize, Aggregation::all_gather},
      .unbiased = "yes",
      .packed = packed,
      .work = work,
      .make = make,
  };
}

}  // namespace arlab::training::compressor_catalog
