#include "bench/validation/fit/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/validation/published/implementation.hpp"

namespace arlab::bench {
namespace {

constexpr double kCovered = 0.8;
constexpr std::size_t kMostParts = 4;

constexpr std::size_t kTorusPorts = 2;

// The part that each row is left out with: its job, or a share of the algorithms of the only job.
struct Parts {
  std::size_t jobs = 0;
  std::vector<std::size_t> of_row;
};

Parts left_out_parts(const std::vector<PublishedTime>& rows) {
  std::map<std::string, std::size_t> jobs, algorithms;  // numbered by name, whatever their order
  for (const PublishedTime& row : rows) jobs[job_of(row)], algorithms[row.algorithm];
  for (std::size_t number = 0; auto& [job, its] : jobs) its = number++;
  for (std::size_t number = 0; auto& [algorithm, its] : algorithms) its = number++;
  Parts parts{jobs.size(), {}};
  for (const PublishedTime& row : rows)
    parts.of_row.push_back(jobs.size() > 1 ? jobs[job_of(row)]
                                           : algorithms[row.algorithm] % kMostParts);
  return parts;
}

}  // namespace

double residual_spread(const std::vector<double>& errors, const std::vector<double>& spreads) {
  std::vector<double> needed;  // variances
  for (std::size_t i = 0; i < errors.size(); ++i)
    needed.push_back(std::pow(errors[i] / kHalfWidth, 2) - spreads[i] * spreads[i]);
  if (needed.empty()) return 0;
  std::sort(needed.begin(), needed.end());
  const auto at =
      static_cast<std::size_t>(std::ceil(kCovered * static_cast<double>(needed.size()))) - 1;
  return std::sqrt(std::max(0.0, needed[at]));
}

double cross_validated_spread(std::size_t transport, const std::vector<PublishedTime>& rows,
                              const FittedTransport& fitted) {
  const Parts parts = left_out_parts(rows);
  const std::span<const double> start =
      std::span(fitted.fit.parameters).first(fitted.system_parameters);
  std::vector<double> errors, spreads;
  for (std::size_t part = 0; part <= std::ranges::max(parts.of_row); ++part) {
    std::vector<PublishedTime> kept, left_out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (parts.of_row[i] != part) kept.push_back(rows[i]);
      // What MPICH ran is inferred from a job's date, so that its rows say little about the model.
      else if (!library_obeyed(rows[i]).has_value())
        left_out.push_back(rows[i]);
    }
    if (kept.empty()) continue;  // one algorithm of one job: nothing to compare with
    const FittedTransport without = fit_transport(transport, kept, start);
    const simulator::PredictRows predict = without.predictor(left_out);
    const std::vector<double> us = predict(without.fit.parameters);
    const std::vector<double> open = simulator::parameter_spreads(without.fit, predict);
    for (std::size_t i = 0; i < us.size(); ++i)
      errors.push_back(std::log(left_out[i].median_us / us[i]));
    spreads.insert(spreads.end(), open.begin(), open.end());
  }
  const bool alone = parts.jobs == 1 && transport != kTorusPorts;  // a torus belongs to its job
  return std::hypot(residual_spread(errors, spreads), alone ? kBetweenJobs : 0);
}

std::vector<PredictionInterval> prediction_intervals(const std::vector<double>& predicted_us,
                                                     const std::vector<double>& spreads,
                                                     double residual) {
  std::vector<PredictionInterval> intervals;
  for (std::size_t i = 0; i < predicted_us.size(); ++i) {
    const double factor = std::exp(kHalfWidth * std::hypot(spreads[i], residual));
    intervals.push_back({predicted_us[i] / factor, predicted_us[i] * factor});
  }
  return intervals;
}

}  // namespace arlab::bench
