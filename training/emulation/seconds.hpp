// Seconds of a Clock, and the picoseconds of virtual time.
#pragma once

#include <cmath>

#include "algorithms/base/time.hpp"

namespace arlab::training {

inline double seconds(Time time) { return picoseconds(time) / kPicosecondsPerSecond; }

/// The first time that is not before so many seconds, so that who waits until then finds it there.
/// Throws Error(usage) if it lies beyond the latest time there is.
inline Time time_at(double wanted) {
  if (!(wanted > 0)) return Time{};
  if (!(wanted <= seconds(kLatest))) return in_calendar(kLatest + Time{1});
  Time time{static_cast<std::int64_t>(wanted * kPicosecondsPerSecond)};
  while (seconds(time) < wanted) ++time;
  return time;
}

}  // namespace arlab::training
