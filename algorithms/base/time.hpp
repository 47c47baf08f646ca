// Simulated time: whole picoseconds. Rates stay real numbers and are rounded once for each message.
#pragma once

#include <cstdint>

#include "algorithms/base/error.hpp"
#include "algorithms/base/types.hpp"

namespace arlab {

using Time = std::int64_t;  ///< picoseconds

inline constexpr Time kNanosecond = 1'000, kMicrosecond = 1'000'000, kSecond = 1'000'000'000'000;

/// No simulation goes on beyond this, and no step of it is longer than the other, so that the
/// latest time and a few steps can be added without overflow.
inline constexpr Time kLatest = 4'000'000 * kSecond, kLongest = 1'000'000 * kSecond;

/// Returns `time`. Throws Error(usage) if it lies beyond the latest.
inline Time in_calendar(Time time) {
  if (time > kLatest)
    fail(Blame::usage, "simulated time passes 46 days: use smaller sizes or rates");
  return time;
}

/// A duration in picoseconds, rounded. Throws Error(usage) above the longest.
inline Time to_time(double picoseconds) {
  if (!(picoseconds <= static_cast<double>(kLongest)))
    fail(Blame::usage, "one simulated step would last over 11 days: use smaller sizes or rates");
  return static_cast<Time>(picoseconds + 0.5);
}

inline double microseconds(Time t) { return static_cast<double>(t) / kMicrosecond; }

}  // namespace arlab
