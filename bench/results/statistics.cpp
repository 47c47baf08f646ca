#include "bench/results/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  const auto percentile = [&](double part) {  // the smallest that this part does not exceed
    return samples[static_cast<std::size_t>(std::ceil(part * static_cast<double>(n))) - 1];
  };
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (const double x : samples) squares += (x - mean) * (x - mean);
  return {.samples = static_cast<std::int64_t>(n),
          .median = (samples[(n - 1) / 2] + samples[n / 2]) / 2,
          .low = samples[j - 1],
          .high = samples[n - j],
          .min = samples.front(),
          .p99 = percentile(0.99),
          .p90 = percentile(0.9),
          .max = samples.back(),
          .mean = mean,
          .deviation = n > 1 ? std::sqrt(squares / static_cast<double>(n - 1)) : 0};
}

std::optional<Interval> mean_interval(const std::vector<double>& series) {
  constexpr std::size_t kBlocks = 20;
  // Student's t, 97.5%, by degrees of freedom from 1 on.
  constexpr double kT[kBlocks - 1] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                      2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                      2.131,  2.120, 2.110, 2.101, 2.093};
  const std::size_t n = series.size(), blocks = std::min(n, kBlocks);
  if (blocks < 2) return std::nullopt;
  std::vector<double> means;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto first = series.begin() + static_cast<std::ptrdiff_t>(b * n / blocks);
    const auto last = series.begin() + static_cast<std::ptrdiff_t>((b + 1) * n / blocks);
    means.push_back(std::accumulate(first, last, 0.0) / static_cast<double>(last - first));
  }
  const Summary s = summarize(means);
  const double margin = kT[blocks - 2] * s.deviation / std::sqrt(static_cast<double>(blocks));
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(n);
  return Interval{std::max(mean - margin, s.min), mean + margin};
}

Summary exactly(double value) {
  return {1, value, value, value, value, value, value, value, value, 0};
}

double coverage(std::int64_t samples) {
  const auto n = static_cast<std::size_t>(samples);
  const std::size_t j = std::max<std::size_t>(1, lower_rank(n));
  double log_choose = 0, below = 0;  // P(Binomial(n, 1/2) < j)
  for (std::size_t k = 0; k < j; ++k) {
    below += std::exp(log_choose - static_cast<double>(n) * std::log(2.0));
    log_choose += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
  }
  return std::max(0.0, 1 - 2 * below);
}

}  // namespace arlab::bench
