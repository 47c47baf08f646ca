// 1-bit Adam: runs Adam for some steps, then freezes its variance and sends the momentum as scaled
// signs with error feedback on both sides.
//
// The result is Adam's bias-corrected direction m / (sqrt(v) + eps), so the optimizer must be plain
// SGD. Tang et al., 1-bit Adam, ICML 2021.
#include <cmath>

#include "training/compressors/codes.hpp"
#include "training/compressors/error_feedback.hpp"
#include "training/compressors/scaled_sign.hpp"

namespace arlab::training::compressor_catalog {
namespace {

struct Settings {
  double beta1, beta2, eps;
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
    for (std::size_t i = 0; i < m_.size(); ++i) {
      const float x = average[i];
      m_[i] = frozen ? x : b1 * m_[i] + (1 - b1) * x;
      if (!frozen) v_[i] = b2 * v_[i] + (1 - b2) * x * x;
      average[i] = m_[i] * m_times / (std::sqrt(v_[i] * v_times) + eps);
    }
  }
  void visit_state(const StateVisitor& visit) override {
    signs_->visit_state(visit);
    visit(m_);
    visit(v_);
  }

 private:
  Settings s_;
  std::unique_ptr<Compressor> signs_;
  std::vector<float> m_, v_, moved_;  // m_ and v_ are the same on all ranks
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<OneBitAdam>(elements(layout),
                                      Settings{value(choice, "beta1"), value(choice, "beta2"),
                                               value(choice, "eps"), whole(choice, "freeze")});
}

std::unique_ptr<Compressor> reply(const TensorShapes& layout, const CompressorChoice& choice) {
  return signs_from(elements(layout), whole(choice, "freeze"));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count step) {
  const Count n = elements(layout);
  return step < whole(choice, "freeze") ? 4 * n : scaled_sign_bytes(n);
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
          "a NaN or infinity reaches momentum and variance and stays there, as in Adam",
      .parameters = {{"freeze", Parameter::Unit::count, "100",
                      "steps of Adam before the variance is frozen", 1, 1e9},
                     {"beta1", Parameter::Unit::number, "0.9", "decay of the momentum", 0, 0.9999},
                     {"beta2", Parameter::Unit::number, "0.999", "decay of the variance", 0,
                      0.999999},
                     {"eps", Parameter::Unit::number, "1e-08", "added to the root of the variance",
                      1e-30, 1}},
      .aggregations = {Aggregation::requantize},
      .feedback = Feedback::built_in,
      .optimizer = "plain SGD",
      .packed = packed,
      .make = make,
      .make_reply = reply,
  };
}

}  // namespace arlab::training::compressor_catalog
