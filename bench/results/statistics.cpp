#include "bench/results/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

// The largest j with P(Binomial(n, 1/2) < j) <= 2.5%: the j-th smallest sample is the interval's
// lower end.
std::size_t lower_rank(std::size_t n) {
  const double log_half_n = -static_cast<double>(n) * std::log(2.0);
  double log_choose = 0, below = 0;
  for (std::size_t j = 0; j <= n; ++j) {
    below += std::exp(log_choose + log_half_n);
    if (below > 0.025) return j;
    log_choose += std::log(static_cast<double>(n - j)) - std::log(static_cast<double>(j + 1));
  }
  return n;
}

}  // namespace

Summary summarize(std::vector<double> samples) {
  expects(!samples.empty(), "a summary needs samples");
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size(), j = std::max<std::size_t>(1, lower_rank(n));
  const auto p99 = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(n)));
  return {.samples = static_cast<std::int64_t>(n),
          .median = (samples[(n - 1) / 2] + samples[n / 2]) / 2,
          .low = samples[j - 1],
          .high = samples[n - j],
          .min = samples.front(),
          .p99 = samples[p99 - 1]};
}

Summary exactly(double value) { return {1, value, value, value, value, value}; }

}  // namespace arlab::bench
