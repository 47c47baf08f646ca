// one_device: one worker and nobody to talk to: the baseline.
#include "training/strategies/strategy.hpp"

namespace arlab::strategy_catalog {
namespace {

class OneDevice final : public Strategy {
 public:
  explicit OneDevice(const Station& station) : s_(station) {}
  void finish_step(const Step& step) override { apply_all(s_, step); }

 private:
  Station s_;
};

std::unique_ptr<Strategy> make(const Station& station) {
  return std::make_unique<OneDevice>(station);
}

std::string refuses(const Station& station) {
  if (station.ranks == 1) return "";
  return "strategy one_device is for 1 worker, not " + std::to_string(station.ranks) +
         ": use -w 1, or --strategy mirrored";
}

}  // namespace

StrategyKind one_device() {
  return {
      .name = "one_device",
      .idea = "one worker, no communication: the baseline",
      .source = "TensorFlow, tf.distribute.OneDeviceStrategy",
      .make = make,
      .refuses = refuses,
  };
}

}  // namespace arlab::strategy_catalog
