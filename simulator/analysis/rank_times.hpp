// Rank times: for how long each rank of a simulated run sends, receives, adds, and waits.
#pragma once

#include <vector>

#include "simulator/trace.hpp"

namespace arlab::simulator {

/// A rank that does two things at once is counted in both. The wait is all other time until the
/// last rank ends.
struct RankTimes {
  Time send{}, receive{}, reduce{}, wait{};
  bool operator==(const RankTimes&) const = default;
};

/// Returns the times of each rank of a whole run that ended at `finish`. Where a message holds both
/// of its ranks at once, as in alpha_beta and fluid, its receiver receives for as long as its
/// sender sends.
std::vector<RankTimes> rank_times(const Trace& trace, Rank ranks, Time finish);

}  // namespace arlab::simulator
