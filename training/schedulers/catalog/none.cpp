// none: all gradients travel after the whole backward pass, a message for each.
//
// What a training loop does that computes first and communicates then; the baseline.
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
      .summary = "all gradients travel after the whole backward pass, a message for each",
      .source = "the baseline",
      .parameters = {},
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
