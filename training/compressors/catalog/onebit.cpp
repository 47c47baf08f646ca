// 1-bit SGD: one bit per element selects the mean of the negative elements or the mean of the rest.
//
// The code is the mean of the rest, the mean of the negative elements, then the sign bits. It has
// one pair of means per tensor or chunk; the paper has one per column. It needs error feedback.
// Seide et al., 1-bit stochastic gradient descent, Interspeech 2014.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr Count kHeader = 2 * sizeof(float);

class OneBit final : public Compressor {
 public:
  OneBit(Count n, SharedVectorKernels kernels)
      : kernels_(std::move(kernels)),
        code_(*kernels_, kHeader + bytes_of_bits(n)),
        scratch_(kernels_->allocate(kernels_->sum_scratch(n))) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    kernels_->to_means(code_.data(), gradient.data(), length(gradient), scratch_.data());
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_means(into.data(), code.data(), length(into), weight);
  }

 private:
  SharedVectorKernels kernels_;
  CodeStorage code_;
  collectives::DeviceMemory scratch_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<OneBit>(elements(layout), kernels_of(choice));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&, Aggregation,
                            Count) {
  return kHeader + bytes_of_bits(elements(layout));
}

// The means are known after a pass of their own.
CodecWork work(const CompressorChoice&, Count) {
  return {.encode = 2 * kMovesFloat + kMovesBit, .decode = kMovesBit + kMovesSum};
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
      .work = work,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
