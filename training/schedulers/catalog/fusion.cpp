// fusion: in each cycle, sends together what became ready in the previous one, up to a threshold.
//
// Sergeev, Del Balso, Horovod, arXiv:1802.05799, 2018.
#include <algorithm>
#include <deque>

#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

class Fusion : public Scheduler {
 public:
  Fusion(const Profile& profile, Time cycle, Bytes threshold)
      : profile_(profile), cycle_(std::max(cycle, Time{1})), threshold_(threshold) {}

  void ready(int layer, Time now) override { waiting_.push_back({layer, now}); }

  std::optional<Bundle> next(Time now) override {
    // Ticks are multiples of the cycle; a gradient that is ready after a tick waits for the next
    // one.
    const Time tick = now / cycle_ * cycle_;
    std::vector<int> layers;
    Bytes bytes = 0;
    while (!waiting_.empty() && waiting_.front().since <= tick) {
      const Bytes more = profile_[static_cast<std::size_t>(waiting_.front().layer)].bytes();
      if (!layers.empty() && more > threshold_ - bytes) break;
      bytes += more;
      layers.push_back(waiting_.front().layer);
      waiting_.pop_front();
    }
    if (layers.empty()) return {};
    return whole(profile_, layers);
  }

  Time wake(Time now) const override {
    return waiting_.empty() ? simulator::kNever : (now / cycle_ + 1) * cycle_;
  }

 private:
  struct Waiting {
    int layer;
    Time since;
  };
  Profile profile_;
  Time cycle_;
  Bytes threshold_;
  std::deque<Waiting> waiting_;
};

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values& values) {
  return std::make_unique<Fusion>(profile, to_time(values.at("cycle")),
                                  static_cast<Bytes>(values.at("threshold")));
}

}  // namespace

SchedulerKind fusion() {
  return {
      .name = "fusion",
      .summary = "in each cycle, sends ready gradients together, up to a threshold",
      .source = "Sergeev, Del Balso, Horovod, arXiv:1802.05799",
      .parameters = {{"cycle", Parameter::Unit::time, "1ms", "time between two sends", 1},
                     {"threshold", Parameter::Unit::bytes, "128 MiB", "maximum bytes per message",
                      kGradientBytes}},
      .same_everywhere = false,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
