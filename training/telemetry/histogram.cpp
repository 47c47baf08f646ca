#include "training/telemetry/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arlab::training {
namespace {

// Returns the upper ends of all buckets; the last bucket takes all larger values.
const std::vector<double>& all_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(std::numeric_limits<double>::max());
    std::vector<double> all;
    for (auto v = positive.rbegin(); v != positive.rend(); ++v) all.push_back(-*v);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

}  // namespace

Histogram make_histogram(std::span<const float> values) {
  const std::vector<double>& limits = all_limits();
  std::vector<Count> counts(limits.size(), 0);
  Histogram h;
  h.min = std::numeric_limits<double>::infinity();
  h.max = -h.min;
  for (const float value : values) {
    if (!std::isfinite(value)) {
      ++h.not_finite;
      continue;
    }
    const double v = value;
    ++h.finite;
    h.min = std::min(h.min, v);
    h.max = std::max(h.max, v);
    h.sum += v;
    h.sum_squares += v * v;
    // A bucket holds [previous limit, limit).
    ++counts[static_cast<std::size_t>(std::upper_bound(limits.begin(), limits.end() - 1, v) -
                                      limits.begin())];
  }
  if (h.finite == 0) h.min = h.max = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool before_full = i + 1 < counts.size() && counts[i + 1] > 0;
    const bool after_full = i > 0 && counts[i - 1] > 0;
    if (counts[i] == 0 && !before_full && !after_full) continue;
    h.limits.push_back(limits[i]);
    h.counts.push_back(static_cast<double>(counts[i]));
  }
  return h;
}

}  // namespace arlab::training
