// stagger: fifo, with delayed starts for workers that share a link, so that their bursts do not
// collide.
//
// In synchronous training all workers compute, then all send: a link shared by m workers is first
// idle, then overloaded m times. A worker that starts a fraction of the iteration later keeps that
// distance if it does not wait for others (asynchronous and stale-synchronous training).
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values&) {
  std::vector<Bundle> plan;
  for (const int layer : backward_order(profile)) plan.push_back(whole(profile, {{layer}}));
  return follow(std::move(plan), profile);
}

// An equal share, by worker, of the duration of one iteration on an unshared link.
Time offset(const Profile& profile, const LinkCost& link, int worker, int workers) {
  Time forward{}, ready{}, free{};
  for (const Layer& layer : profile) forward += layer.forward;
  for (const int l : backward_order(profile)) {
    const Layer& layer = profile[static_cast<std::size_t>(l)];
    ready += layer.backward;
    if (layer.elements > 0) free = std::max(free, ready) + link.holds(layer.bytes());
  }
  return (forward + std::max(ready, free + link.latency)) / workers * worker;
}

}  // namespace

SchedulerKind stagger() {
  return {
      .name = "stagger",
      .summary =
          "fifo; workers that share a link start one after another, so that bursts do not collide",
      .source = "bursts of synchronous training; see the file",
      .parameters = {},
      .needs_times = true,
      .make = make,
      .offset = offset,
  };
}

}  // namespace arlab::training::scheduler_catalog
