// Robust fit: positive parameters of a model of times, from measured times and a prior of each
// parameter.
//
// The error of a row is the logarithm of predicted by measured, so that 1 us and 1 s count alike.
// Errors beyond a limit count linearly (Huber, Annals of Mathematical Statistics 35(1), 1964), so
// that a few odd measurements do not bend the model. A parameter that the rows do not determine
// stays at the median of its prior.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/validation/calibrated/cholesky.hpp"

namespace arlab::simulator {

/// A positive parameter, log-normal before anything is measured.
struct Prior {
  std::string name;
  double median = 1;
  double spread = 1;  ///< standard deviation of the logarithm
};

/// What each doubling of the ranks multiplies a time by, because the slowest of them is measured:
/// the same before any measurement for every system and kind of transport.
Prior many_ranks_prior(std::string name);

/// Returns the predicted time of each row.
using PredictRows = std::function<std::vector<double>(std::span<const double> parameters)>;

struct RobustFit {
  std::vector<double> parameters;
  double cost = 0;
  SquareMatrix covariance{0};  ///< of the parameters' logarithms, given rows and priors
};

/// Minimizes the errors and the distance from the priors by the method of Levenberg and Marquardt,
/// from `start`, or from the medians of the priors without it. Throws Error(check) if the model
/// predicts a time that is not positive.
RobustFit robust_fit(std::span<const Prior> priors, const PredictRows& predict,
                     std::span<const double> measured, std::span<const double> start = {});

/// Returns the standard deviation of the logarithm of each predicted time, as far as the parameters
/// are uncertain.
std::vector<double> parameter_spreads(const RobustFit& fit, const PredictRows& predict);

}  // namespace arlab::simulator
