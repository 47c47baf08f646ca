// credit: slices by priority, as many under way as a credit of bytes allows.
//
// One slice at a time leaves the link idle for its latency; all at once cannot be overtaken. Peng
// et al., ByteScheduler, SOSP 2019.
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
      .summary = "slices by priority, as many under way as a credit allows; no barrier",
      .source = "Peng et al., ByteScheduler, SOSP 2019",
      .parameters = {{"slice", Parameter::Unit::bytes, "4 MiB", "most bytes of a message"},
                     {"credit", Parameter::Unit::bytes, "16 MiB", "bytes under way at once"}},
      .barrier = false,
      .same_everywhere = false,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
