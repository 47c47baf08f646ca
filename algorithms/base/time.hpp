// Time: simulated time in whole picoseconds. Rates are real numbers, rounded once per message.
//
// Time is a std::chrono duration, so that adding bytes to a time does not compile. This is the only
// header of algorithms/ and simulator/ that includes <chrono>: the simulator never reads a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

#include "algorithms/base/error.hpp"
#include "algorithms/base/types.hpp"

namespace arlab {

using Time = std::chrono::duration<std::int64_t, std::pico>;

inline constexpr Time kNanosecond{1'000}, kMicrosecond{1'000'000}, kSecond{1'000'000'000'000};
inline constexpr double kPicosecondsPerSecond = 1e12;

constexpr double picoseconds(Time t) { return static_cast<double>(t.count()); }
constexpr double microseconds(Time t) { return picoseconds(t) / 1e6; }

/// The latest time of a simulation, and the longest duration of one of its steps. The sum of the
/// latest time and a few steps fits a Time.
inline constexpr Time kLatest = 4'000'000 * kSecond, kLongest = 1'000'000 * kSecond;

/// Throws what in_calendar() does, apart from it, so that the check costs two instructions.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_calendar() {
  fail(Blame::usage, "simulated time passes 46 days: use smaller sizes or rates");
}

/// Returns `time`. Throws Error(usage) if it is after kLatest.
inline Time in_calendar(Time time) {
  if (time > kLatest) fail_calendar();
  return time;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_step() {
  fail(Blame::usage, "one simulated step would last over 11 days: use smaller sizes or rates");
}

/// Returns a duration in picoseconds, rounded. Throws Error(usage) if it is above kLongest.
inline Time to_time(double value) {
  if (!(value <= picoseconds(kLongest))) fail_step();
  return Time{static_cast<std::int64_t>(value + 0.5)};
}

}  // namespace arlab
