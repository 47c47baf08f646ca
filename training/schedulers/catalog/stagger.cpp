// stagger: fifo, and workers that share a link begin one after another, so that their bursts do not
// meet.
//
// Synchronous training computes, then sends, all at once: a link shared by m workers is idle, then
// m times overloaded. A worker that begins a share of the iteration later keeps that distance as
// long as it need not wait for the others (asynchronous and stale-synchronous training).
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values&) {
  std::vector<Bundle> plan;
  for (const int layer : backward_order(profile)) plan.push_back(whole(profile, {{layer}}));
  return follow(std::move(plan), profile);
}

// One iteration of a worker that is alone on the link, by the number of workers.
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
          "fifo; workers that share a link begin one after another, so that bursts do not meet",
      .source = "bursts of synchronous training; see the file",
      .parameters = {},
      .needs_times = true,
      .make = make,
      .offset = offset,
  };
}

}  // namespace arlab::training::scheduler_catalog
