// credit: sends slices by priority, several at once up to a credit of bytes.
//
// One slice at a time leaves the link idle for its latency; sending all at once prevents
// overtaking. Peng et al., ByteScheduler, SOSP 2019.
#include "training/schedulers/ranked.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values& values) {
  return by_urgency(profile, {.urgency = forward_urgency(profile),
                              .slice = static_cast<Bytes>(values.at("slice")) / kGradientBytes,
                              .credit = static_cast<Bytes>(values.at("credit")),
                              .limit = std::numeric_limits<int>::max()});
}

}  // namespace

SchedulerKind credit() {
  return {
      .name = "credit",
      .summary = "sends slices by priority, several at once up to a credit; no barrier",
      .source = "Peng et al., ByteScheduler, SOSP 2019",
      .parameters = {{"slice", Parameter::Unit::bytes, "4 MiB", "maximum bytes per message",
                      kGradientBytes},
                     {"credit", Parameter::Unit::bytes, "16 MiB", "maximum bytes in progress",
                      kGradientBytes}},
      .barrier = false,
      .same_everywhere = false,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
