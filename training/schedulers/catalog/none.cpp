// none: sends all gradients after the whole backward pass, one message each.
//
// The baseline: a training loop that first computes and then communicates.
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values&) {
  std::vector<Bundle> plan;
  for (const int layer : backward_order(profile)) plan.push_back(whole(profile, {{layer}}));
  return follow(std::move(plan), profile, true);
}

}  // namespace

SchedulerKind none() {
  return {
      .name = "none",
      .summary = "sends all gradients after the backward pass, one message each",
      .source = "the baseline",
      .parameters = {},
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
