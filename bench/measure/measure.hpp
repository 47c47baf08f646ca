// measure: times collectives fairly: every run is checked, and all that stand beside one another
// take turns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/cli/options.hpp"
#include "bench/measure/target.hpp"
#include "bench/results/statistics.hpp"

namespace arlab::bench {

struct MeasureOptions {
  double seconds = 0.2;  ///< to spend on each configuration, about
  int least = 5;         ///< runs, whatever the time
  int most = 2000;
};

struct Measurement {
  Summary time_us;  ///< of the slowest rank, run by run
  Count wrong = 0;  ///< elements, over all ranks and runs
  Cost sent;  ///< by all ranks in one run; rounds: of the rank with the most. Zero for a native
              ///< collective
  double traffic = 0;  ///< of one run, see Subject
};

/// Measures configurations of one and the same problem and operand, in turns. Every process or
/// thread that has ranks calls it with the same arguments and gets the same result. A configuration
/// without an algorithm is the backend's native allreduce.
///
/// A run: copy the input in place, wait for all, start the clock, run, stop the clock, take the
/// slowest rank's time, check every element that must be right.
std::vector<Measurement> measure(BenchmarkTarget& subject, std::span<const Config> configs,
                                 const MeasureOptions& options);

}  // namespace arlab::bench
