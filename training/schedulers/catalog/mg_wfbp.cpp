// mg_wfbp: merges gradients if that saves a start-up time and delays nothing.
//
// From the last layer on, merges a gradient with the next one if it could not start before the next
// one is ready, or less than alpha before. Shi, Chu, Li, MG-WFBP, INFOCOM 2019.
#include <algorithm>

#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

// Returns when each gradient is ready, counted from the beginning of the backward pass.
std::vector<Time> ready_times(const Profile& profile) {
  std::vector<Time> times(profile.size());
  Time now{};
  for (std::size_t l = profile.size(); l-- > 0;) times[l] = now += profile[l].backward;
  return times;
}

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost& link, const Values&) {
  const std::vector<Time> ready = ready_times(profile);
  std::vector<Bundle> plan;
  std::vector<int> open;
  Time free{};
  for (const int layer : backward_order(profile)) {
    open.push_back(layer);
    if (layer > 0) {
      const Time begin = std::max(free, ready[static_cast<std::size_t>(layer)]);
      if (ready[static_cast<std::size_t>(layer) - 1] - begin < link.alpha) continue;
    }
    plan.push_back(whole(profile, open));
    open.clear();
    free = std::max(free, ready[static_cast<std::size_t>(layer)]) + link.holds(plan.back().bytes());
  }
  return follow(std::move(plan), profile);
}

}  // namespace

SchedulerKind mg_wfbp() {
  return {
      .name = "mg_wfbp",
      .summary = "merges gradients if that saves a start-up time and delays nothing",
      .source = "Shi, Chu, Li, MG-WFBP, INFOCOM 2019",
      .parameters = {},
      .needs_times = true,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
