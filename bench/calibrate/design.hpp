// Design: which sizes to measure for one question, the ratio of two algorithms' times.
//
// A pilot measures three sizes. From the machine that it gives, calibrations with fewer sizes are
// simulated, each with other errors, and a size is added as long as one narrows what they say about
// the ratio: by the variance that it takes away per second (a greedy design after Fedorov 1972,
// with one response instead of all parameters).
#pragma once

#include <functional>

#include "bench/calibrate/fit.hpp"

namespace arlab::bench {

struct Question {
  Count least = 4, most = 4;  ///< bytes of the messages that the algorithms send, about
  /// The ratio of the times on a machine without random delays.
  std::function<double(const simulator::Machine&)> ratio;
};

struct Design {
  ProbePlan plan, whole;
  double seconds = 0, whole_seconds = 0;  ///< that measuring takes
  double error = 0, whole_error = 0;      ///< expected, of the ratio's logarithm, by the parameters
};

/// Returns the plan of the pilot.
ProbePlan pilot_plan(const ProbeOptions& options);

/// Designs what to measure. `pilot`: the times of pilot_plan(). Sizes of exchanges and fans between
/// least and most are kept as checks: what the model lacks shows there.
Design design_for(const Question& question, const ProbeTimes& pilot, const ProbeOptions& options);

/// Returns what measuring a plan takes on the machine, in seconds.
double seconds_of(const ProbePlan& plan, const simulator::Machine& machine, Rank ranks,
                  const ProbeOptions& options);

/// A plan as text, which plan_of() reads: "4,1024;4096".
std::string text_of(const ProbePlan& plan);
ProbePlan plan_of(const std::string& text);

}  // namespace arlab::bench
