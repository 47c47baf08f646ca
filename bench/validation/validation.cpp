#include "bench/validation/validation.hpp"

#include <fmt/format.h>

#include <map>

#include "bench/validation/fit/fitted_transport.hpp"
#include "bench/validation/fit/job_ranks.hpp"
#include "bench/validation/published/implementation.hpp"

namespace arlab::bench {
namespace {

struct Group {
  std::vector<PublishedTime> calibration;
  std::vector<std::size_t> rows;  // of the result, both splits
};

FittedSystem summary_of(const std::string& system, std::size_t transport, std::size_t rows,
                        const FittedTransport& fitted) {
  FittedSystem summary;
  summary.system = system;
  summary.transport = transport_name(transport);
  summary.rows = rows;
  summary.states = fitted.states;
  summary.notes = fitted.notes;
  for (std::size_t i = 0; i < fitted.system_parameters; ++i)
    summary.parameters.push_back({fitted.priors[i].name, fitted.fit.parameters[i]});
  return summary;
}

Rank nodes_of(const PublishedTime& row) { return row.ranks / row.ranks_per_node; }

void note_scale(const PublishedTime& row, FittedSystem& summary) {
  const Rank nodes = nodes_of(row);
  if (summary.most == 0 || nodes < summary.least) {
    summary.least = nodes;
    summary.least_nodes = row.nodes;
  }
  if (nodes > summary.most) {
    summary.most = nodes;
    summary.most_nodes = row.nodes;
  }
}

void predict_group(const std::string& system, std::size_t transport, const Group& group,
                   const std::vector<PublishedTime>& as_run, Validation& result) {
  if (group.calibration.empty()) {
    for (const std::size_t i : group.rows)
      result.rows[i].reason =
          fmt::format("no rows to calibrate {} of {}", transport_name(transport), system);
    return;
  }
  const FittedTransport fitted = fit_transport(transport, group.calibration);
  std::vector<PublishedTime> rows;
  for (const std::size_t i : group.rows) rows.push_back(as_run[i]);
  const simulator::PredictRows predict = fitted.predictor(rows);
  const std::vector<double> us = predict(fitted.fit.parameters);
  FittedSystem summary = summary_of(system, transport, group.calibration.size(), fitted);
  for (const PublishedTime& row : group.calibration) note_scale(row, summary);
  summary.residual_spread = cross_validated_spread(transport, group.calibration, fitted);
  const std::vector<PredictionInterval> intervals = prediction_intervals(
      us, simulator::parameter_spreads(fitted.fit, predict), summary.residual_spread);
  for (std::size_t i = 0; i < us.size(); ++i) {
    result.rows[group.rows[i]].predicted_us = us[i];
    result.rows[group.rows[i]].interval = intervals[i];
    result.rows[group.rows[i]].beyond_calibration =
        nodes_of(rows[i]) < summary.least || nodes_of(rows[i]) > summary.most;
  }
  result.systems.push_back(std::move(summary));
}

}  // namespace

Validation validate(const std::vector<PublishedTime>& rows) {
  const std::vector<PublishedTime> as_run = with_ranks_of_sizes(rows);
  Validation result;
  std::map<std::pair<std::string, std::size_t>, Group> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Implementation implementation = implementation_of(as_run[i]);
    const std::size_t transport = implementation.model.index();
    result.rows.push_back({.row = rows[i],
                           .transport = std::string(transport_name(transport)),
                           .predicted_us = std::nullopt,
                           .reason = implementation.reason});
    if (transport == 0) continue;
    Group& group = groups[{rows[i].system, transport}];
    group.rows.push_back(i);
    if (rows[i].split == Split::calibrate) group.calibration.push_back(as_run[i]);
  }
  for (const auto& [key, group] : groups)
    predict_group(key.first, key.second, group, as_run, result);
  return result;
}

}  // namespace arlab::bench
