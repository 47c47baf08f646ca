// signSGD with majority vote: every rank sends signs, and the result is the majority's sign.
//
// In an allreduce the signs are float16, whose sums are exact up to 2048 ranks. A tie counts as +.
// Bernstein et al., signSGD with majority vote is communication efficient and fault tolerant, ICLR
// 2019.
#include "algorithms/base/error.hpp"
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class SignBits final : public Compressor {
 public:
  SignBits(Count n, SharedVectorKernels kernels)
      : kernels_(std::move(kernels)), code_(*kernels_, bytes_of_bits(n)) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    kernels_->pack_signs(code_.data(), gradient.data(), length(gradient));
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_signs(into.data(), code.data(), length(into), weight, -weight);
  }
  void finish(std::span<float> average, const EncodeContext&) override {
    kernels_->to_signs(average.data(), length(average));
  }

 private:
  SharedVectorKernels kernels_;
  CodeStorage code_;
};

class SignCounts final : public Compressor {
 public:
  SignCounts(Count n, SharedVectorKernels kernels)
      : Compressor(Operands{{collectives::DType::float16, collectives::Op::sum}}),
        kernels_(std::move(kernels)),
        code_(*kernels_, 2 * n) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    if (context.ranks > 2048)
      fail(Blame::usage,
           "compressor signsgd: an allreduce of float16 counts up to 2048 ranks, but there are " +
               std::to_string(context.ranks) + ": use all_gather");
    kernels_->to_unit_halves(code_.data(), gradient.data(), length(gradient));
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_halves(into.data(), code.data(), length(into), weight);
  }
  void finish(std::span<float> average, const EncodeContext&) override {
    kernels_->to_signs(average.data(), length(average));
  }

 private:
  SharedVectorKernels kernels_;
  CodeStorage code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation aggregation) {
  if (aggregation == Aggregation::allreduce)
    return std::make_unique<SignCounts>(elements(layout), kernels_of(choice));
  return std::make_unique<SignBits>(elements(layout), kernels_of(choice));
}

std::unique_ptr<Compressor> reply(const TensorShapes& layout, const CompressorChoice& choice) {
  return std::make_unique<SignBits>(elements(layout), kernels_of(choice));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&,
                            Aggregation aggregation, Count) {
  const Count n = elements(layout);
  return aggregation == Aggregation::allreduce ? 2 * n : bytes_of_bits(n);
}

std::string no_feedback(const Values&) {
  return "since a sign does not depend on the magnitude: leave feedback=on out, or use ef_signsgd";
}

// The result becomes signs in place.
CodecWork work(const CompressorChoice&, Count) {
  return {.encode = kMovesFloat + kMovesBit + kMovesSum, .decode = kMovesBit + kMovesSum};
}

}  // namespace

CompressorKind signsgd() {
  return {
      .name = "signsgd",
      .label = "signSGD",
      .summary = "the sign that most ranks sent; the learning rate sets its magnitude",
      .source = "Bernstein et al., ICLR 2019",
      .size = "ceil(n/8); 2n by allreduce",
      .special_values = "NaN and 0 count by their sign bits, so a NaN does not show",
      .aggregations = {Aggregation::all_gather, Aggregation::allreduce},
      .caution =
          "each step moves every weight by the learning rate: use a small one, such as 0.001, and "
          "no "
          "momentum",
      .packed = packed,
      .work = work,
      .make = make,
      .make_reply = reply,
      .no_feedback = no_feedback,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
