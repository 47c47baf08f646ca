// one_device: one worker without communication: the baseline.
#include "training/strategies/strategy.hpp"

namespace arlab::training::strategy_catalog {
namespace {

class OneDevice final : public Strategy {
 public:
  explicit OneDevice(const StrategyContext& context) : s_(context) {}
  void finish_step(const Step& step) override { apply_all(s_, step); }

 private:
  StrategyContext s_;
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<OneDevice>(context);
}

std::string unsupported_reason(const StrategyContext& context) {
  if (context.ranks == 1) return "";
  return "strategy one_device supports 1 worker, not " + std::to_string(context.ranks) +
         ": use 1 worker or strategy mirrored";
}

}  // namespace

StrategyKind one_device() {
  return {
      .name = "one_device",
      .summary = "one worker, no communication: the baseline",
      .source = "TensorFlow, tf.distribute.OneDeviceStrategy",
      .collectives = {},
      .alone = true,
      .on_device = true,
      .make = make,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::training::strategy_catalog
