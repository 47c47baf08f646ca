// fifo: sends each gradient as soon as it is ready, while earlier layers still compute.
//
// Wait-free backpropagation: Zhang et al., Poseidon, USENIX ATC 2017.
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values&) {
  std::vector<Bundle> plan;
  for (const int layer : backward_order(profile)) plan.push_back(whole(profile, {{layer}}));
  return follow(std::move(plan), profile);
}

}  // namespace

SchedulerKind fifo() {
  return {
      .name = "fifo",
      .summary = "sends each gradient when it is ready (wait-free backpropagation)",
      .source = "Zhang et al., Poseidon, USENIX ATC 2017",
      .parameters = {},
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
