// 1-bit Adam: runs Adam for some steps, then freezes its variance and sends the momentum as scaled
// signs with error feedback on both sides.
//
// The result is Adam's bias-corrected direction m / (sqrt(v) + eps), so the optimizer must be plain
// SGD. Signs cannot encode a momentum of 0, and a code's elements share one magnitude. So elements
// whose variance is 0 when it is frozen, such as weights of inputs that are always 0, do not move
// any more (the momentum mask of DeepSpeed's implementation), and others have a smallest variance.
// Tang et al., 1-bit Adam, ICML 2021.
#include <cmath>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/error_feedback.hpp"
#include "training/compressors/scaled_sign.hpp"

namespace arlab::training::compressor_catalog {
namespace {

struct Settings {
  double beta1, beta2, eps, floor;
  Count freeze;
};

std::unique_ptr<Compressor> signs_from(Count n, Count freeze) {
  return with_error_feedback(scaled_signs(n, processor_kernels(), freeze), n, processor_kernels());
}

class OneBitAdam final : public Compressor {
 public:
  OneBitAdam(Count n, const Settings& settings)
      : s_(settings),
        signs_(signs_from(n, settings.freeze)),
        m_(static_cast<std::size_t>(n)),
        v_(m_.size()),
        moved_(m_.size()) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    if (context.step < s_.freeze) return signs_->encode(gradient, context);
    const auto keep = static_cast<float>(s_.beta1), add = static_cast<float>(1 - s_.beta1);
    for (std::size_t i = 0; i < m_.size(); ++i) moved_[i] = keep * m_[i] + add * gradient[i];
    return signs_->encode(moved_, context);
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& context) override {
    signs_->decode_add(code, into, weight, context);
  }

  /// In: the average gradient, or the average momentum once the variance is frozen. Out: the
  /// direction.
  void finish(std::span<float> average, const EncodeContext& context) override {
    const auto b1 = static_cast<float>(s_.beta1), b2 = static_cast<float>(s_.beta2);
    const bool frozen = context.step >= s_.freeze;
    const auto steps = static_cast<double>(context.step + 1);
    const auto varied = static_cast<double>(std::min(context.step + 1, s_.freeze));
    const auto m_times = static_cast<float>(1 / (1 - std::pow(s_.beta1, steps)));
    const auto v_times = static_cast<float>(1 / (1 - std::pow(s_.beta2, varied)));
    const auto eps = static_cast<float>(s_.eps);
    if (frozen && least_ < 0) least_ = least_variance();
    const float least = frozen ? least_ * v_times : 0;
    for (std::size_t i = 0; i < m_.size(); ++i) {
      const float x = average[i];
      m_[i] = frozen ? x : b1 * m_[i] + (1 - b1) * x;
      if (!frozen) v_[i] = b2 * v_[i] + (1 - b2) * x * x;
      if (frozen && v_[i] == 0 && std::isfinite(x)) m_[i] = 0;
      average[i] = m_[i] * m_times / (std::sqrt(std::max(v_[i] * v_times, least)) + eps);
    }
  }
  void visit_state(const StateVisitor& visit) override {
    signs_->visit_state(visit);
    visit(m_);
    visit(v_);
  }

 private:
  /// From the mean of the frozen variances that are not 0.
  float least_variance() const {
    double sum = 0;
    Count moved = 0;
    for (const float v : v_)
      if (v > 0 && std::isfinite(v)) sum += v, ++moved;
    return moved > 0 ? static_cast<float>(s_.floor * s_.floor * sum / static_cast<double>(moved))
                     : 0;
  }

  Settings s_;
  float least_ = -1;  // not known before the freeze
  std::unique_ptr<Compressor> signs_;
  std::vector<float> m_, v_, moved_;  // m_ and v_ are the same on all ranks
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<OneBitAdam>(
      elements(layout),
      Settings{value(choice, "beta1"), value(choice, "beta2"), value(choice, "eps"),
               value(choice, "floor"), whole(choice, "freeze")});
}

std::unique_ptr<Compressor> reply(const TensorShapes& layout, const CompressorChoice& choice) {
  return signs_from(elements(layout), whole(choice, "freeze"));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count step) {
  const Count n = elements(layout);
  return step < whole(choice, "freeze") ? 4 * n : scaled_sign_bytes(n);
}

Count warm_up(const CompressorChoice& choice) { return whole(choice, "freeze"); }

// With the moved momentum before the signs, and the direction after them.
CodecWork work(const CompressorChoice&, Count) {
  CodecWork all =
      with_feedback({.encode = 2 * kMovesFloat + kMovesBit, .decode = kMovesBit + kMovesSum});
  all.encode += 3 * kMovesFloat + 2 * kMovesSum;
  return all;
}

}  // namespace

CompressorKind onebit_adam() {
  return {
      .name = "onebit_adam",
      .label = "1-bit Adam",
      .summary = "Adam; after some steps with frozen variance and 1-bit momentum",
      .source = "Tang et al., ICML 2021",
      .size = "4n before `freeze`, then ceil(n/8) + 4",
      .special_values =
          "a NaN or infinity reaches momentum and variance and stays there, as in Adam; an element "
          "whose variance is 0 when it is frozen does not move any more",
      .parameters =
          {{"freeze", Parameter::Unit::count, "100", "steps of Adam before the variance is frozen",
            1, 1e9},
           {"beta1", Parameter::Unit::number, "0.9", "decay of the momentum", 0, 0.9999},
           {"beta2", Parameter::Unit::number, "0.999", "decay of the variance", 0, 0.999999},
           {"eps", Parameter::Unit::number, "1e-08", "added to the root of the variance", 1e-30, 1},
           {"floor", Parameter::Unit::number, "0.1",
            "smallest root of a frozen variance, as a part of the root of their mean", 0, 1}},
      .aggregations = {Aggregation::requantize},
      .feedback = Feedback::built_in,
      .optimizer = "plain SGD",
      .packed = packed,
      .work = work,
      .make = make,
      .make_reply = reply,
      .warm_up = warm_up,
  };
}

}  // namespace arlab::training::compressor_catalog
