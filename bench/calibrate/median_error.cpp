#include "bench/calibrate/median_error.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "bench/calibrate/exchanger.hpp"
#include "bench/results/statistics.hpp"

namespace arlab::bench {
namespace {

// P(Binomial(n, p) >= k).
double at_least(std::size_t k, std::size_t n, double p) {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return 1;
  double sum = 0;
  const auto size = static_cast<double>(n);
  for (std::size_t i = k; i <= n; ++i) {
    const auto at = static_cast<double>(i);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(at + 1) - std::lgamma(size - at + 1) +
                    at * std::log(p) + (size - at) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

// The i-th smallest of n resampled values is their median with the probability that the quantile
// of order statistic n / 2 + 1 lies between (i - 1) / n and i / n.
double maritz_jarrett(std::vector<double> logs) {
  std::sort(logs.begin(), logs.end());
  const std::size_t n = logs.size(), middle = n / 2 + 1;
  double mean = 0, squares = 0, before = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    const double until = at_least(middle, n, static_cast<double>(i) / static_cast<double>(n));
    mean += (until - before) * logs[i - 1];
    squares += (until - before) * logs[i - 1] * logs[i - 1];
    before = until;
  }
  return std::sqrt(std::max(0.0, squares - mean * mean));
}

}  // namespace

double median_error(const std::vector<double>& samples, int turns) {
  expects(!samples.empty(), "a median of something");
  constexpr double kLeast = 1e-3, kMostError = 1;  // microseconds: below what clocks tell
  std::vector<double> logs;
  for (const double us : samples) logs.push_back(std::log(std::max(us, kLeast)));
  double error = maritz_jarrett(logs);
  const std::size_t each = logs.size() / static_cast<std::size_t>(turns);
  if (turns > 1 && each > 0) {
    std::vector<double> medians;
    for (auto turn = logs.begin(); logs.end() - turn >= static_cast<std::ptrdiff_t>(each);
         turn += static_cast<std::ptrdiff_t>(each))
      medians.push_back(median_of({turn, turn + static_cast<std::ptrdiff_t>(each)}));
    error = std::max(error,
                     summarize(medians).deviation / std::sqrt(static_cast<double>(medians.size())));
  }
  return std::min(error, kMostError);
}

}  // namespace arlab::bench
