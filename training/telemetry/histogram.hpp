// Histogram: counts values in buckets that grow with the distance from zero.
//
// The buckets are TensorBoard's: 1e-12 times powers of 1.1 up to 1e20, and their negatives.
#pragma once

#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct Histogram {
  double min = 0, max = 0, sum = 0, sum_squares = 0;
  Count finite = 0;            ///< values counted in buckets
  Count not_finite = 0;        ///< NaN and infinities, which are not in buckets
  std::vector<double> limits;  ///< upper ends of the buckets, rising
  std::vector<double> counts;  ///< values in each bucket
};

/// Omits empty buckets, except those beside nonempty ones, which keep the shape.
Histogram make_histogram(std::span<const float> values);

}  // namespace arlab::training
