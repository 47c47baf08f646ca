// PowerSGD: approximates a matrix by a product of two thin ones, with one power iteration per step.
//
// P = M Q, summed over the ranks and orthonormalized; Q = M' P, summed; the result is P Q'. The
// next step starts from Q (warm start). Matrices that would not shrink, and all vectors, travel
// uncompressed together with Q. Vogels, Karimireddy, Jaggi, PowerSGD, NeurIPS 2019.
#include <cmath>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/low_rank.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class PowerSgd final : public Compressor {
 public:
  PowerSgd(const TensorShapes& layout, Count rank, bool warm)
      : Compressor(Operands(2, {collectives::DType::float32, collectives::Op::sum})),
        cut_(cut_low_rank(layout, rank)),
        warm_(warm),
        gradient_(static_cast<std::size_t>(elements(layout))),
        p_(static_cast<std::size_t>(cut_.p_floats)),
        q_(static_cast<std::size_t>(cut_.q_floats)),
        code_(static_cast<std::size_t>(cut_.q_floats + cut_.dense_floats)) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    std::copy(gradient.begin(), gradient.end(), gradient_.begin());
    if (!warm_) std::fill(q_.begin(), q_.end(), 0.0f);
    for (const LowRank& m : cut_.matrices) {
      renew_lost_rows(q_of(m), m, context);
      times_rows(&gradient_[index(m.at)], q_of(m), m, &p_[index(m.p)]);
    }
    return std::as_writable_bytes(std::span(p_));
  }

  std::span<std::byte> next(const EncodeContext&) override {
    std::fill(code_.begin(), code_.end(), 0.0f);
    for (const LowRank& m : cut_.matrices) {
      orthonormalize(&p_[index(m.p)], m.rows, m.rank);
      rows_times(&gradient_[index(m.at)], &p_[index(m.p)], m, &code_[index(m.q)]);
    }
    float* dense = code_.data() + cut_.q_floats;
    for (const Dense& d : cut_.dense) {
      std::copy_n(gradient_.begin() + d.at, d.elements, dense);
      dense += d.elements;
    }
    return std::as_writable_bytes(std::span(code_));
  }

  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    // The last pass of a step leaves the sum over all ranks here, from which the next step starts.
    if (!q_.empty()) std::memcpy(q_.data(), code.data(), q_.size() * sizeof(float));
    for (const LowRank& m : cut_.matrices)
      add_product(&p_[index(m.p)], q_of(m), m, weight, into.data() + m.at);
    Count from = cut_.q_floats;
    for (const Dense& d : cut_.dense)
      for (Count i = 0; i < d.elements; ++i)
        into[index(d.at + i)] += weight * load<float>(code, from++);
  }

  void visit_state(const StateVisitor& visit) override { visit(q_); }

 private:
  static std::size_t index(Count i) { return static_cast<std::size_t>(i); }
  float* q_of(const LowRank& m) { return q_.data() + m.q; }

  LowRankCut cut_;
  bool warm_;
  std::vector<float> gradient_, p_, q_, code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<PowerSgd>(layout, whole(choice, "rank"), whole(choice, "warm") == 1);
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  const LowRankCut cut = cut_low_rank(layout, whole(choice, "rank"));
  return 4 * (cut.p_floats + cut.q_floats + cut.dense_floats);
}

// A copy of the gradient, its products with Q and with P, and P Q' in the end: each is rank
// multiply-adds per element.
CodecWork work(const CompressorChoice& choice, Count) {
  const double product = 2 * value(choice, "rank");
  return {.encode = 2 * kMovesFloat + 2 * kMovesFloat,
          .decode = kMovesSum,
          .encode_operations = 2 * product,
          .decode_operations = product};
}

}  // namespace

CompressorKind powersgd() {
  return {
      .name = "powersgd",
      .label = "PowerSGD",
      .summary = "a matrix as a product of two thin ones, refined from step to step",
      .source = "Vogels et al., NeurIPS 2019",
      .size = "4 rank (a+b) for each a x b matrix; 4n for vectors and small matrices",
      .special_values =
          "a matrix with a NaN or infinity becomes NaN and restarts; a matrix of zeros restarts",
      .parameters = {{"rank", Parameter::Unit::count, "4", "columns of the thin matrices", 1, 1024},
                     {"warm", Parameter::Unit::count, "1", "1: starts from the last step's Q", 0,
                      1}},
      .aggregations = {Aggregation::allreduce},
      .feedback = Feedback::on,
      .packed = packed,
      .work = work,
      .make = make,
      .matrices = true,
  };
}

}  // namespace arlab::training::compressor_catalog
