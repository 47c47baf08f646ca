// 1-bit SGD: one bit per element selects the mean of the negative elements or the mean of the rest.
//
// The code is the mean of the rest, the mean of the negative elements, then the sign bits. It has
// one pair of means per tensor or chunk; the paper has one per column. It needs error feedback.
// Seide et al., 1-bit stochastic gradient descent, Interspeech 2014.
#include <cmath>
#include <limits>

#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr Count kHeader = 2 * sizeof(float);

class OneBit final : public Compressor {
 public:
  OneBit(Count n, SharedVectorKernels kernels)
      : kernels_(std::move(kernels)), code_(static_cast<std::size_t>(kHeader + bytes_of_bits(n))) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    const Count n = length(gradient);
    const SignSums sums = encode_kernels().sign_sums(gradient.data(), n);
    const bool finite = std::isfinite(sums.clear) && std::isfinite(sums.set);
    const auto mean = [finite](double sum, Count count) {
      if (!finite) return std::numeric_limits<float>::quiet_NaN();
      return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.0f;
    };
    store(code_, 0, mean(sums.clear, n - sums.negatives));
    store(code_, 1, mean(sums.set, sums.negatives));
    kernels_->pack_signs(code_.data() + kHeader, gradient.data(), n);
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_signs(into.data(), code.data() + kHeader, length(into),
                        weight * load<float>(code, 0), weight * load<float>(code, 1));
  }

 private:
  SharedVectorKernels kernels_;
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<OneBit>(elements(layout), kernels_of(choice));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&, Aggregation,
                            Count) {
  return kHeader + bytes_of_bits(elements(layout));
}

}  // namespace

CompressorKind onebit() {
  return {
      .name = "onebit",
      .label = "1-bit SGD",
      .summary = "the sign, and the means of the negative elements and of the rest",
      .source = "Seide et al., Interspeech 2014",
      .size = "ceil(n/8) + 8",
      .special_values = "any NaN or infinity makes all elements NaN; 0 counts by its sign bit",
      .aggregations = {Aggregation::requantize, Aggregation::all_gather},
      .feedback = Feedback::on,
      .packed = packed,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
