// The standard error of a median.
#pragma once

#include <vector>

namespace arlab::bench {

/// Returns the standard error of the logarithm of the samples' median, what the bootstrap with all
/// resamples would give (Maritz and Jarrett, Journal of the American Statistical Association 73,
/// 1978); at most 1. `turns` above 1: the samples come from as many turns, in order, and the error
/// is at least what the medians of the turns say. Expects positive samples, at least one.
double median_error(const std::vector<double>& samples, int turns = 1);

}  // namespace arlab::bench
