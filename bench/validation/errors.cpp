#include "bench/validation/errors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace arlab::bench {
namespace {

// The value below which `fraction` of the values lie, between neighbors in proportion.
double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double at = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

Errors errors_of(const std::vector<const PredictedRow*>& rows) {
  std::vector<double> errors;
  for (const PredictedRow* row : rows) errors.push_back(row->error());
  return errors_of(errors);
}

Errors errors_of(const std::vector<double>& errors) {
  if (errors.empty()) return {};
  std::vector<double> sizes;
  for (const double error : errors) sizes.push_back(std::abs(error));
  return {.rows = errors.size(),
          .median = quantile(sizes, 0.5),
          .p90 = quantile(sizes, 0.9),
          .worst = quantile(sizes, 1),
          .bias = quantile(errors, 0.5)};
}

Coverage coverage_of(const std::vector<const PredictedRow*>& rows) {
  if (rows.empty()) return {};
  std::vector<double> widths;
  std::size_t covered = 0;
  for (const PredictedRow* p : rows) {
    const double us = p->row.median_us;
    if (us >= p->interval.low_us && us <= p->interval.high_us) ++covered;
    widths.push_back(p->interval.high_us / p->interval.low_us);
  }
  return {static_cast<double>(covered) / static_cast<double>(rows.size()), quantile(widths, 0.5)};
}

Pairs pairs_of(const std::vector<const PredictedRow*>& rows, double apart) {
  std::map<std::tuple<std::string, std::string, Rank, std::string, std::string, Count>,
           std::vector<const PredictedRow*>>
      competitors;
  for (const PredictedRow* p : rows)
    competitors[{p->row.system, p->row.nodes, p->row.ranks_per_node, p->row.library, p->row.run,
                 p->row.bytes}]
        .push_back(p);
  Pairs pairs;
  for (const auto& [key, list] : competitors)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double measured = list[i]->row.median_us / list[j]->row.median_us;
        if (std::max(measured, 1 / measured) <= 1 + apart) continue;
        ++pairs.all;
        const double predicted = *list[i]->predicted_us / *list[j]->predicted_us;
        if (measured > 1 ? predicted > 1 : predicted < 1) ++pairs.right;
      }
  return pairs;
}

}  // namespace arlab::bench
