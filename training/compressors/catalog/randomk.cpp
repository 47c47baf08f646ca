// random-k: sends k elements at positions that all ranks draw identically, so that an allreduce can
// sum the values and no positions travel.
//
// Without error feedback the values are scaled by n / k, which makes the code unbiased. Stich,
// Cordonnier, Jaggi, NeurIPS 2018; Floyd's sample of k from n: Bentley & Floyd, CACM 30(9), 1987.
#include <bit>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/ratio.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class RandomK final : public Compressor {
 public:
  RandomK(Count n, Count k, bool scaled)
      : Compressor(Operands{{collectives::DType::float32, collectives::Op::sum}}),
        n_(n),
        times_(scaled && k > 0 ? static_cast<float>(n) / static_cast<float>(k) : 1.0f),
        taken_(static_cast<std::size_t>((n + 63) / 64)),
        at_(static_cast<std::size_t>(k)),
        code_(static_cast<std::size_t>(k) * sizeof(float)) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    draw(context);
    for (std::size_t j = 0; j < at_.size(); ++j)
      store(code_, static_cast<Count>(j), gradient[at_[j]]);
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& context) override {
    draw(context);
    for (std::size_t j = 0; j < at_.size(); ++j)
      into[at_[j]] += weight * times_ * load<float>(code, static_cast<Count>(j));
  }

 private:
  struct Drawn {
    std::uint64_t seed;
    Count step;
    std::uint32_t tensor, part;
    bool operator==(const Drawn&) const = default;
  };

  /// Draws the positions of this encoding, in order; they are the same on every rank.
  void draw(EncodeContext context) {
    const Drawn now{context.seed, context.step, context.tensor, context.part};
    if (drawn_ == now) return;
    drawn_ = now;
    context.rank = 0;
    const Random random = random_of(context);
    std::fill(taken_.begin(), taken_.end(), 0);
    const auto k = static_cast<Count>(at_.size());
    for (Count j = n_ - k; j < n_; ++j) {
      const Count below = random.below(j + 1, static_cast<std::uint64_t>(j));
      if (!take(below)) take(j);
    }
    auto next = at_.begin();
    for (std::size_t w = 0; w < taken_.size(); ++w)
      for (std::uint64_t left = taken_[w]; left != 0; left &= left - 1)
        *next++ =
            static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(left));
  }
  bool take(Count i) {
    std::uint64_t& word = taken_[static_cast<std::size_t>(i / 64)];
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const bool free = (word & bit) == 0;
    word |= bit;
    return free;
  }

  Count n_;
  float times_;
  std::optional<Drawn> drawn_;
  std::vector<std::uint64_t> taken_;  // one bit per element
  std::vector<std::uint32_t> at_;
  std::vector<std::byte> code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  const Count n = elements(layout);
  return std::make_unique<RandomK>(n, chosen_k(choice, n), !choice.feedback);
}

/// An average at the drawn positions is complete and needs no scaling.
std::unique_ptr<Compressor> reply(const TensorShapes& layout, const CompressorChoice& choice) {
  const Count n = elements(layout);
  return std::make_unique<RandomK>(n, chosen_k(choice, n), false);
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  return 4 * chosen_k(choice, elements(layout));
}

// The positions are marked as bits, then collected.
CodecWork work(const CompressorChoice& choice, Count elements) {
  const double part = selected_part(chosen_k(choice, elements), elements);
  return {.encode = 3 * kMovesBit + part * (3 * kMovesScattered + 2 * kMovesFloat),
          .decode = part * (2 * kMovesFloat + 2 * kMovesScattered)};
}

}  // namespace

CompressorKind randomk() {
  return {
      .name = "randomk",
      .label = "random-k",
      .summary = "k elements at positions that all ranks draw identically",
      .source = "Stich et al., NeurIPS 2018",
      .size = "4k",
      .special_values = "NaN and infinities are kept at drawn positions; feedback drops the others",
      .parameters = {kRatio, kK},
      .aggregations = {Aggregation::allreduce},
      .feedback = Feedback::on,
      .unbiased = "with feedback=off",
      .caution =
          "an element is sent once in 1 / ratio steps on average, so it learns later than dense "
          "training, and needs more steps or a smaller learning rate",
      .packed = packed,
      .work = work,
      .make = make,
      .make_reply = reply,
  };
}

}  // namespace arlab::training::compressor_catalog
