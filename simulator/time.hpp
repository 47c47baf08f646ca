// Simulated time: whole picoseconds. Rates stay real numbers and are rounded once for each message.
#pragma once

#include <cstdint>

#include "algorithms/error.hpp"

namespace arlab {

using Time = std::int64_t;   ///< picoseconds; the largest is 106 days
using Bytes = std::int64_t;  ///< of one message or vector

inline constexpr Time kNanosecond = 1'000, kMicrosecond = 1'000'000, kSecond = 1'000'000'000'000;

/// A duration in picoseconds, rounded. Throws Error(usage) above 50 days, so that sums of a few
/// cannot overflow.
inline Time to_time(double picoseconds) {
  if (!(picoseconds < 4.5e18))
    fail(Blame::usage, "one simulated step would last over 50 days: use smaller sizes or rates");
  return static_cast<Time>(picoseconds + 0.5);
}

inline double microseconds(Time t) { return static_cast<double>(t) / kMicrosecond; }

}  // namespace arlab
