// dear: reduce-scatter in the backward pass, all-gather in the next forward pass.
//
// The two halves of an allreduce cost the same, and only the second delays the worker: each layer's
// forward pass waits for its own all-gather. The all-gathers start after all reduce-scatters, first
// layer first. Zhang et al., DeAR, ICDCS 2023.
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values&) {
  std::vector<Bundle> plan;
  for (const int layer : backward_order(profile)) {
    plan.push_back(whole(profile, {{layer}}));
    plan.back().collective = Collective::reduce_scatter;
  }
  for (int layer = 0; layer < static_cast<int>(profile.size()); ++layer) {
    plan.push_back(whole(profile, {{layer}}));
    plan.back().collective = Collective::all_gather;
  }
  return follow(std::move(plan), profile);
}

}  // namespace

SchedulerKind dear() {
  return {
      .name = "dear",
      .summary =
          "reduce-scatter in the backward pass, all-gather in the next forward pass; no barrier",
      .source = "Zhang et al., DeAR, ICDCS 2023",
      .parameters = {},
      .barrier = false,
      .halves = true,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
