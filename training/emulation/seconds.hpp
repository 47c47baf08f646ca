// Converts between the seconds of a Clock and the picoseconds of simulated time.
#pragma once

#include <cmath>

#include "algorithms/base/time.hpp"

namespace arlab::training {

inline double seconds(Time time) { return picoseconds(time) / kPicosecondsPerSecond; }

/// Returns the first time that is not before the given seconds, so that a wait until then reaches
/// them. Throws Error(usage) if it is beyond the latest representable time.
inline Time time_at(double wanted) {
  if (!(wanted > 0)) return Time{};
  if (!(wanted <= seconds(kLatest))) return in_calendar(kLatest + Time{1});
  Time time{static_cast<std::int64_t>(wanted * kPicosecondsPerSecond)};
  while (seconds(time) < wanted) ++time;
  return time;
}

}  // namespace arlab::training
