// fp16: every element as an IEEE half, divided by the number of ranks first.
//
// The division keeps partial sums within the gradients' own range; the largest half is 65504.
// Micikevicius et al., Mixed precision training, ICLR 2018; Horovod and DDP do the same.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class Fp16 final : public Compressor {
 public:
  Fp16(Count n, SharedVectorKernels kernels)
      : Compressor(Operands{{collectives::DType::float16, collectives::Op::sum}}),
        kernels_(std::move(kernels)),
        code_(*kernels_, 2 * n) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext& o) override {
    kernels_->to_halves(code_.data(), gradient.data(), length(gradient),
                        static_cast<float>(o.ranks));
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& o) override {
    kernels_->add_halves(into.data(), code.data(), length(into),
                         weight * static_cast<float>(o.ranks));
  }

 private:
  SharedVectorKernels kernels_;
  CodeStorage code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Fp16>(elements(layout), kernels_of(choice));
}

}  // namespace

CompressorKind fp16() {
  return {
      .name = "fp16",
      .label = "float16",
      .summary = "every element as float16, divided by the number of ranks first",
      .source = "Micikevicius et al., ICLR 2018",
      .size = "2n",
      .special_values =
          "NaN and infinities are kept; magnitudes above 65504 times the number of ranks become "
          "infinite, those below 3e-8 times it 0",
      .aggregations = {Aggregation::allreduce},
      .packed = packed_halves,
      .work = halves_work,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
