// Intervals: how sure a prediction is.
//
// The logarithm of measured by predicted has two parts. The parameters are uncertain as far as rows
// and priors leave them open, which weighs more the farther a row is from what was calibrated. The
// rest, which is what the model lacks and how jobs differ, is seen by leaving out calibration rows:
// one job at a time, or one part of the algorithms where there is one job only, and predicting them
// from the others.
#pragma once

#include <vector>

#include "bench/validation/fit/fitted_transport.hpp"

namespace arlab::bench {

inline constexpr double kHalfWidth = 1.2816;  ///< standard deviations on each side of 80%

/// Standard deviation between the logarithms of the times of jobs on a network that others use,
/// too, where one job alone was measured: repeated jobs of LUMI differ by 10 to 20%.
inline constexpr double kBetweenJobs = 0.15;

/// Where 80% of the measurements of such a row are expected [us].
struct PredictionInterval {
  double low_us = 0, high_us = 0;
};

/// Returns the smallest spread, a standard deviation of logarithms, that together with the spreads
/// of the parameters covers 80% of the errors, logarithms of measured by predicted.
double residual_spread(const std::vector<double>& errors, const std::vector<double>& spreads);

/// Leaves out parts of the calibration rows and returns the spread of what the model lacks.
/// `fitted`: to all of them.
double cross_validated_spread(std::size_t transport, const std::vector<PublishedTime>& rows,
                              const FittedTransport& fitted);

/// Returns the intervals of predicted times.
std::vector<PredictionInterval> prediction_intervals(const std::vector<double>& predicted_us,
                                                     const std::vector<double>& spreads,
                                                     double residual);

}  // namespace arlab::bench
