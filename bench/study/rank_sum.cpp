#include "bench/study/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

// The number of pairs (x of a, y of b) with x > y, ties as half; and the sum of t^3 - t over ties.
struct RankSum {
  double u = 0, ties = 0;
};

RankSum rank_sum_of(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> all;  // value, and whether it is of a
  for (const double x : a) all.emplace_back(x, true);
  for (const double x : b) all.emplace_back(x, false);
  std::sort(all.begin(), all.end());
  RankSum sum;
  double of_a = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const auto tied = static_cast<double>(end - i);
    const double rank = static_cast<double>(i) + (tied + 1) / 2;
    for (; i < end; ++i) of_a += all[i].second ? rank : 0;
    sum.ties += tied * tied * tied - tied;
  }
  const auto n = static_cast<double>(a.size());
  sum.u = of_a - n * (n + 1) / 2;
  return sum;
}

// The number of ways in which samples of m and n give each U, by the recursion of Mann and Whitney.
std::vector<double> ways(std::size_t m, std::size_t n) {
  std::vector<std::vector<double>> of(n + 1, {1.0});  // of[j]: i samples against j
  for (std::size_t i = 1; i <= m; ++i) {
    std::vector<std::vector<double>> next(n + 1, {1.0});
    for (std::size_t j = 1; j <= n; ++j) {
      std::vector<double> sum(i * j + 1, 0.0);
      for (std::size_t u = 0; u < of[j].size(); ++u) sum[u + j] += of[j][u];
      for (std::size_t u = 0; u < next[j - 1].size(); ++u) sum[u] += next[j - 1][u];
      next[j] = std::move(sum);
    }
    of = std::move(next);
  }
  return of[n];
}

double exact_p(double u, std::size_t m, std::size_t n) {
  const std::vector<double> all = ways(m, n);
  const double total = std::accumulate(all.begin(), all.end(), 0.0);
  const double low = std::min(u, static_cast<double>(m * n) - u);
  double below = 0;
  for (std::size_t k = 0; k < all.size() && static_cast<double>(k) <= low; ++k) below += all[k];
  return std::min(1.0, 2 * below / total);
}

double normal_p(const RankSum& sum, double m, double n) {
  const double both = m + n;
  const double variance = m * n / 12 * (both + 1 - sum.ties / (both * (both - 1)));
  if (variance <= 0) return 1;  // all samples are equal
  const double distance = std::max(0.0, std::abs(sum.u - m * n / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

constexpr std::size_t kMostExact = 20;

}  // namespace

double rank_sum_p(std::span<const double> a, std::span<const double> b) {
  expects(!a.empty() && !b.empty(), "a rank-sum test needs samples on both sides");
  const RankSum sum = rank_sum_of(a, b);
  if (sum.ties == 0 && a.size() <= kMostExact && b.size() <= kMostExact)
    return exact_p(sum.u, a.size(), b.size());
  return normal_p(sum, static_cast<double>(a.size()), static_cast<double>(b.size()));
}

double least_rank_sum_p(std::size_t a, std::size_t b) {
  expects(a > 0 && b > 0, "a rank-sum test needs samples on both sides");
  const auto m = static_cast<double>(a), n = static_cast<double>(b);
  if (a > kMostExact || b > kMostExact) return normal_p({}, m, n);
  // Of all choices of a samples among both, two are extreme.
  const double log_choices = std::lgamma(m + n + 1) - std::lgamma(m + 1) - std::lgamma(n + 1);
  return std::min(1.0, 2 * std::exp(-log_choices));
}

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return p[x] < p[y]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - k) * p[order[k]]));
    corrected[order[k]] = largest;
  }
  return corrected;
}

}  // namespace arlab::bench
