// TimedRun: how a benchmark runs a collective once, and what it finds.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab::collectives {

/// What a configuration of a benchmark fixes about its runs.
struct RunMode {
  bool in_place = true;  ///< else the input stays, and the result goes to another vector
  int repeats = 1;       ///< runs back to back, which are waited for once
  bool cold = false;     ///< the vectors are evicted from the caches before
  auto operator<=>(const RunMode&) const = default;
};

/// A line through the readings of two clocks: global(t) = t + offset + slope * (t - origin).
struct ClockModel {
  double origin = 0, offset = 0, slope = 0;  ///< seconds, seconds, seconds per second
  double global(double local) const { return local + offset + slope * (local - origin); }
  /// The local time at which global() gives `time`.
  double local(double time) const { return origin + (time - offset - origin) / (1 + slope); }
};

struct RunRequest {
  const Algorithm* algorithm = nullptr;  ///< null: the library's own collective
  int segments = 1;
  RunMode mode{};
  double delay = 0;  ///< seconds that the ranks here enter late
  /// If it is above 0, ranks start at an agreed time, this many seconds after the last of them
  /// offers it. Otherwise they start after a barrier.
  double lead = 0;
  /// Of the library's own allreduce: the algorithm to run, see Baseline::use(); empty: the
  /// library decides.
  std::string native{};
  ClockModel clock{};  ///< of this rank, to the clock that all ranks share
};

struct CheckedRun {
  struct Interval {
    double enter = 0, leave = 0;  ///< seconds, on the clock that all ranks share
  };

  /// Of the slowest rank, per run; the same on all ranks. Infinite if a rank came too late for the
  /// agreed start: the run does not count.
  double us = 0;
  Count wrong = 0;  ///< elements, on the ranks of this executor
  Cost sent;  ///< by them, per run; rounds: of the rank with the most. Zero for a native collective
  /// Bytes that the ranks of this executor at least read and write in their memory; 0: not known.
  double traffic = 0;
  /// When this executor's rank entered the collective and left it. Absent where all ranks are
  /// started together.
  std::optional<Interval> interval = {};
};

}  // namespace arlab::collectives
