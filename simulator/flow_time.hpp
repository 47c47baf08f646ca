// The time of a flow, rounded to a picosecond.
#pragma once

#include <algorithm>

#include "algorithms/base/time.hpp"

namespace arlab::simulator {

/// Returns how long `left` of a message's `bytes` take at `rate`, in picoseconds. Rates that should
/// be equal may differ in their last bits, by the order in which flows were added. So half a
/// picosecond is raised by more than that, and always rounded up: equal rates give equal times.
inline double flow_picoseconds(double left, double bytes, double rate) {
  constexpr double kTies = 1e-13, kMost = picoseconds(kLongest);
  if (!(left > 0)) return 0;
  const double exact = left / rate;
  return exact <= kMost ? std::min(kMost, exact + kTies * bytes / rate) : exact;
}

}  // namespace arlab::simulator
