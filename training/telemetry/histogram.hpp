// Histogram: how many values lie in which range, in buckets that grow with the distance from zero.
//
// TensorBoard's own buckets: 1e-12 times powers of 1.1 up to 1e20, and their negatives.
#pragma once

#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct Histogram {
  double min = 0, max = 0, sum = 0, sum_squares = 0;
  Count finite = 0;            ///< values that are counted in buckets
  Count not_finite = 0;        ///< NaN and infinities, which no bucket holds
  std::vector<double> limits;  ///< upper ends of the buckets, rising
  std::vector<double> counts;  ///< in each
};

/// Empty buckets are left out but for those beside full ones, so that the shape stays.
Histogram make_histogram(std::span<const float> values);

}  // namespace arlab::training
