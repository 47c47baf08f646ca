// signSGD with majority vote: every rank sends signs, and the result is the majority's sign, or 0
// if there is none.
//
// In an allreduce the signs are float16, whose sums are exact up to 2048 ranks; those of zeros are
// 0. A bit has no third value: there a zero votes for + and - in turns of elements, ranks, and
// steps, so that weights without gradients do not drift. Bernstein et al., signSGD with majority
// vote is communication efficient and fault tolerant, ICLR 2019.
#include "algorithms/base/error.hpp"
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

// An average that is nearer to 0 than to one vote is a tie, whose sum was rounded.
void to_majority(const VectorKernels& kernels, std::span<float> average, Rank ranks) {
  kernels.to_signs(average.data(), length(average), 0.5f / static_cast<float>(ranks));
}

class SignBits final : public Compressor {
 public:
  SignBits(Count n, SharedVectorKernels kernels)
      : kernels_(std::move(kernels)), code_(*kernels_, bytes_of_bits(n)) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    const bool odd = (context.step + context.rank) % 2 != 0;
    kernels_->pack_votes(code_.data(), gradient.data(), length(gradient), odd);
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_signs(into.data(), code.data(), length(into), weight, -weight);
  }
  void finish(std::span<float> average, const EncodeContext& context) override {
    to_majority(*kernels_, average, context.ranks);
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
  void finish(std::span<float> average, const EncodeContext& context) override {
    to_majority(*kernels_, average, context.ranks);
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
      .special_values =
          "a NaN counts by its sign bit, so a NaN does not show; 0 votes for + and - in turns, for "
          "neither by allreduce",
      .aggregations = {Aggregation::all_gather, Aggregation::allreduce},
      .caution =
          "each step moves every weight by the learning rate: use a small one, such as 0.001, and "
          "no "
          "momentum",
      .packed = packed,
      .work = work,
      .make = make,
      .no_feedback = no_feedback,
      .on_gpu = true,
      .signs_only = true,
  };
}

}  // namespace arlab::training::compressor_catalog
