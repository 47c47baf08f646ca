// Errors of predictions: their distribution, and the share of pairs of algorithms that are ordered
// right.
#pragma once

#include <string>
#include <vector>

#include "bench/validation/validation.hpp"

namespace arlab::bench {

struct Errors {
  std::size_t rows = 0;
  double median = 0, p90 = 0, worst = 0;  ///< of the absolute errors, as fractions
  double bias = 0;                        ///< median of the errors with their signs
};

/// Returns the distribution of errors with their signs.
Errors errors_of(const std::vector<double>& errors);
Errors errors_of(const std::vector<const PredictedRow*>& rows);

/// How well the 80% intervals of the predictions hold.
struct Coverage {
  double covered = 0;  ///< share of the measurements within their interval
  double width = 1;    ///< median of the upper end by the lower
};

/// `rows`: with predictions.
Coverage coverage_of(const std::vector<const PredictedRow*>& rows);

struct Pairs {
  std::size_t all = 0, right = 0;
};

/// Compares the algorithms that a job measured at one size, if their times differ by more than
/// `apart`, a fraction.
Pairs pairs_of(const std::vector<const PredictedRow*>& rows, double apart);

}  // namespace arlab::bench
