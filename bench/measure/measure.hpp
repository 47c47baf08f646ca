// measure: times collectives. Every run is checked, and configurations that are compared take
// turns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/measure/late_entry.hpp"
#include "bench/results/statistics.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

struct MeasureOptions {
  double seconds = 0.2;  ///< approximate time to spend on each configuration
  /// Whether `seconds` is a limit: no run begins after it, even if there are fewer than min_runs.
  bool limited = false;
  int min_runs = 5;  ///< whatever the time, unless it is limited
  int max_runs = 2000;
  int warm_ups = 1;  ///< runs that are checked, but not timed
  /// Above 0: measure until the half width of the 95% confidence interval is at most this part of
  /// the median, or the time has passed.
  double precision = 0;
  std::optional<std::uint64_t> seed = {};  ///< shuffles the configurations of each turn
  bool at_agreed_time = false;             ///< ranks start by the clock instead of a barrier
  Rank late_rank = -1;                     ///< enters each run `late_seconds` late; -1: none
  double late_seconds = 0;
  /// Whether a caller may ask to stop (stop.hpp): ranks then agree on it while they measure.
  bool stoppable = false;
};

struct Measurement {
  Summary time_us;     ///< of the slowest rank, per run
  Count wrong = 0;     ///< elements, over all ranks and runs
  Cost sent;           ///< by all ranks in one run; rounds: of the rank with the most. Zero for a
                       ///< native collective
  double traffic = 0;  ///< of one run by all ranks, see CheckedRun
  std::string native_choice = {};  ///< the algorithm that the library reports, on the first rank
  std::vector<double> samples_us = {};  ///< what time_us summarizes, in the order of the runs
  Count late_starts = 0;                ///< runs that did not count: a rank missed the agreed time
  /// Only on the first rank, and where ranks are started one by one.
  std::optional<LateEntry> late_entry = {};
  std::vector<Intervals> intervals = {};  ///< by rank; empty where late_entry is absent
};

struct Measurements {
  std::vector<Measurement> of;  ///< each configuration
  /// Whether the ranks' clocks had to be synchronized; and by how much they deviated at the end.
  bool synchronized_clocks = false;
  double clock_deviation_us = 0;
};

/// Measures configurations of the same problem and operand, in turns. All executors of a run call
/// it with the same arguments and get the same result, where not said otherwise. A configuration
/// without an algorithm is the backend's native collective.
///
/// A run copies the input into place, waits for all ranks, and starts the clock. After the
/// collective it takes the slowest rank's time and checks every element that must be right. Throws
/// Stopped on all ranks.
Measurements measure_all(collectives::Executor& executor, std::span<const Config> configs,
                         const MeasureOptions& options);

/// Returns only what it has measured of each configuration.
std::vector<Measurement> measure(collectives::Executor& executor, std::span<const Config> configs,
                                 const MeasureOptions& options);

}  // namespace arlab::bench
