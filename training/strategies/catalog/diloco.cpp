// diloco: workers train independently; every H steps an outer optimizer applies their mean change.
//
// The outer gradient is the mean over the workers of (weights at the last outer step - weights now).
// The outer optimizer is SGD with Nesterov momentum. All workers compute the same outer step, so its
// momentum is the same everywhere; the moments of the inner optimizer stay with each worker. With an
// outer rate of 1 and no outer momentum, this is local_sgd. Douillard et al., DiLoCo,
// arXiv:2311.08105.
#include <cmath>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training::strategy_catalog {
namespace {

constexpr const char* kVelocity = "outer/velocity";

class DiLoCo final : public Strategy {
 public:
  explicit DiLoCo(const StrategyContext& context)
      : s_(context), velocity_(s_.parameters.weights().size()) {}

  // All workers hold the same weights here.
  void start_epoch(Count /*first*/, Count /*steps*/) override {
    const std::span<const float> weights = s_.parameters.weights();
    anchor_.assign(weights.begin(), weights.end());
  }

  void finish_step(const Step& step) override {
    apply_all(s_, step);
    last_ = step.number;
    if (++since_ == s_.options.every) settle();
  }

  void settle() override {
    if (since_ == 0) return;
    since_ = 0;
    const std::span<float> weights = s_.parameters.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = anchor_[i] - weights[i];
    average(s_, {last_, 0, 0, Phase::weights}, weights);
    const auto rate = static_cast<float>(s_.options.outer_rate);
    const auto momentum = static_cast<float>(s_.options.outer_momentum);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float change = weights[i];
      velocity_[i] = momentum * velocity_[i] + change;
      weights[i] = anchor_[i] -= rate * (change + momentum * velocity_[i]);
    }
  }

  State state() override {
    const auto bytes = std::as_bytes(std::span(velocity_));
    return {{kVelocity, {bytes.begin(), bytes.end()}}};
  }
  void restore(State state) override {
    const std::vector<std::byte>& saved = state[kVelocity];
    if (saved.size() != velocity_.size() * sizeof(float))
      fail(Blame::usage,
           "the checkpoint has no momentum of the outer optimizer, or of another model: use "
           "another checkpoint");
    std::memcpy(velocity_.data(), saved.data(), saved.size());
  }

 private:
  StrategyContext s_;
  std::vector<float> anchor_;    // the weights after the last outer step
  std::vector<float> velocity_;  // of the outer optimizer
  Count last_ = 0, since_ = 0;
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<DiLoCo>(context);
}

std::string unsupported_reason(const StrategyContext& context) {
  const StrategyOptions& o = context.options;
  if (!(o.outer_rate > 0) || !std::isfinite(o.outer_rate))
    return "the outer learning rate is " + std::to_string(o.outer_rate) +
           ": use a finite rate above 0, such as 0.7";
  if (!(o.outer_momentum >= 0) || !(o.outer_momentum < 1))
    return "the outer momentum is " + std::to_string(o.outer_momentum) +
           ": use at least 0 and less than 1, such as 0.9";
  return refuse_interval(context);
}

}  // namespace

StrategyKind diloco() {
  return {
      .name = "diloco",
      .summary =
          "workers train independently; every H steps an outer Nesterov optimizer applies "
          "their mean change",
      .source = "Douillard et al., DiLoCo, arXiv:2311.08105",
      .synchronous = false,
      .equal_replicas = false,
      .own_moments = true,
      .local_batch = true,
      .periodic = true,
      .outer = true,
      .make = make,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::training::strategy_catalog
