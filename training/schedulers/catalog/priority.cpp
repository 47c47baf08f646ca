// priority: sends gradients in slices, those of the first layers first.
//
// The next forward pass needs the first layer first, and each layer waits only for its own
// gradient. A barrier after the step would remove the gain. Jayarajan et al., P3, MLSys 2019.
#include "training/schedulers/ranked.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values& values) {
  return by_urgency(profile, {.urgency = forward_urgency(profile),
                              .slice = static_cast<Bytes>(values.at("slice")) / kGradientBytes});
}

}  // namespace

SchedulerKind priority() {
  return {
      .name = "priority",
      .summary = "sends slices; those of the first layers overtake all others; no barrier",
      .source = "Jayarajan et al., P3, MLSys 2019",
      .parameters = {{"slice", Parameter::Unit::bytes, "200000 B", "maximum bytes per message",
                      kGradientBytes}},
      .barrier = false,
      .same_everywhere = false,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
