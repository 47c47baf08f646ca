// Rank-sum tests: whether one sample of times tends to be larger than another.
//
// After Wilcoxon 1945, and Mann and Whitney 1947. They assume no distribution. Holm's correction
// (Scandinavian Journal of Statistics 6, 1979) keeps the chance of any wrong verdict in a table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace arlab::bench {

/// Returns the two-sided p-value: the probability that samples of one distribution differ as much.
/// It is exact for up to 20 samples without ties; otherwise it comes from the normal distribution,
/// with corrections for ties and continuity. Expects samples on both sides.
double rank_sum_p(std::span<const double> a, std::span<const double> b);

/// Returns the smallest p-value that samples of these sizes can have: if all of one side are
/// larger.
double least_rank_sum_p(std::size_t a, std::size_t b);

/// Returns the p-values corrected for their number: each at most 1, in the given order.
std::vector<double> holm_corrected(std::span<const double> p);

}  // namespace arlab::bench
