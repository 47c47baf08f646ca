// measure: times collectives. Every run is checked, and configurations that are compared take turns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/cli/options.hpp"
#include "bench/results/statistics.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

struct MeasureOptions {
  double seconds = 0.2;  ///< approximate time to spend on each configuration
  int min_runs = 5;      ///< whatever the time
  int max_runs = 2000;
  int warm_ups = 1;  ///< runs that are checked, but not timed
};

struct Measurement {
  Summary time_us;     ///< of the slowest rank, per run
  Count wrong = 0;     ///< elements, over all ranks and runs
  Cost sent;           ///< by all ranks in one run; rounds: of the rank with the most. Zero for a
                       ///< native collective
  double traffic = 0;  ///< of one run, see Executor::CheckedRun
};

/// Measures configurations of the same problem and operand, in turns. All executors of a run call it
/// with the same arguments and get the same result. A configuration without an algorithm is the
/// backend's native collective.
///
/// A run copies the input into place, waits for all ranks, and starts the clock. After the
/// collective it takes the slowest rank's time and checks every element that must be right.
std::vector<Measurement> measure(collectives::Executor& executor, std::span<const Config> configs,
                                 const MeasureOptions& options);

}  // namespace arlab::bench
