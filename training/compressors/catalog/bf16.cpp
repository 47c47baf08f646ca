// bf16: the upper half of every float, rounded to nearest, ties to even.
//
// It has the range of a float with 8 significant bits, so no scaling is needed. Kalamkar et al., A
// study of bfloat16 for deep learning training, arXiv:1905.12322, 2019.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class Bf16 final : public Compressor {
 public:
  Bf16(Count n, SharedVectorKernels kernels)
      : Compressor(Operands{{collectives::DType::bfloat16, collectives::Op::sum}}),
        kernels_(std::move(kernels)),
        code_(*kernels_, 2 * n) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    kernels_->to_bfloats(code_.data(), gradient.data(), length(gradient));
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_bfloats(into.data(), code.data(), length(into), weight);
  }

 private:
  SharedVectorKernels kernels_;
  CodeStorage code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Bf16>(elements(layout), kernels_of(choice));
}

}  // namespace

CompressorKind bf16() {
  return {
      .name = "bf16",
      .label = "bfloat16",
      .summary = "the upper half of every float, rounded to nearest even",
      .source = "Kalamkar et al., arXiv:1905.12322",
      .size = "2n",
      .special_values =
          "NaN and infinities are kept; magnitudes above 3.39e38 become infinite, below 5e-41 0",
      .aggregations = {Aggregation::allreduce},
      .packed = packed_halves,
      .work = halves_work,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
