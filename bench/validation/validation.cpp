#include "bench/validation/validation.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <memory>

#include "bench/validation/fit_messages.hpp"
#include "bench/validation/implementation.hpp"

namespace arlab::bench {
namespace {

constexpr std::array<const char*, 5> kTransports{"", "messages", "torus ports", "NCCL",
                                                 "GPU nodes"};

using Rows = std::vector<PublishedTime>;
using Predict = std::function<std::vector<double>(const Rows&)>;

struct Fitted {
  FittedSystem summary;
  Predict predict;
};

std::vector<double> measured(const Rows& rows) {
  std::vector<double> us;
  for (const PublishedTime& row : rows) us.push_back(row.median_us);
  return us;
}

template <class Case>
std::vector<Case> cases_of(const Rows& rows) {
  std::vector<Case> cases;
  for (const PublishedTime& row : rows)
    cases.push_back(std::get<Case>(implementation_of(row).model));
  return cases;
}

std::vector<FittedSystem::Value> values(const std::vector<simulator::Prior>& priors,
                                        std::span<const double> parameters) {
  std::vector<FittedSystem::Value> all;
  for (std::size_t i = 0; i < priors.size(); ++i) all.push_back({priors[i].name, parameters[i]});
  return all;
}

template <class Case, class Times>
Fitted fit_plain(const Rows& rows, const std::vector<simulator::Prior>& priors, Times times) {
  const std::vector<Case> cases = cases_of<Case>(rows);
  const std::vector<double> parameters =
      simulator::robust_fit(
          priors, [&](std::span<const double> p) { return times(cases, p); }, measured(rows))
          .parameters;
  FittedSystem summary;
  summary.parameters = values(priors, parameters);
  return {std::move(summary),
          [parameters, times](const Rows& all) { return times(cases_of<Case>(all), parameters); }};
}

Fitted fit_torus_rows(const Rows& rows) {
  const std::vector<double> parameters =
      simulator::fit_torus(cases_of<simulator::TorusCase>(rows), measured(rows));
  FittedSystem summary;
  summary.parameters = values(simulator::torus_priors(), parameters);
  return {std::move(summary), [parameters](const Rows& all) {
            return simulator::torus_times(cases_of<simulator::TorusCase>(all), parameters);
          }};
}

Fitted fit_message_rows(const Rows& rows) {
  const auto fitted = std::make_shared<FittedMessages>(rows);
  FittedSystem summary;
  summary.parameters = values(fitted->priors(), fitted->parameters());
  summary.parameters.resize(simulator::MessageModel::system_parameters());
  summary.states = static_cast<std::size_t>(fitted->states());
  summary.notes = fitted->notes();
  return {std::move(summary), [fitted](const Rows& all) { return fitted->predict(all); }};
}

Fitted fit_rows(std::size_t transport, const Rows& rows) {
  switch (transport) {
    case 1:
      return fit_message_rows(rows);
    case 2:
      return fit_torus_rows(rows);
    case 3:
      return fit_plain<simulator::NcclCase>(rows, simulator::nccl_priors(), simulator::nccl_times);
    default:
      return fit_plain<simulator::GpuNodesCase>(rows, simulator::gpu_nodes_priors(),
                                                simulator::gpu_nodes_times);
  }
}

struct Group {
  Rows calibration;
  std::vector<std::size_t> rows;  // of the result, both splits
};

void predict_group(const std::string& system, std::size_t transport, const Group& group,
                   Validation& result) {
  if (group.calibration.empty()) {
    for (const std::size_t i : group.rows)
      result.rows[i].reason =
          fmt::format("no rows to calibrate {} of {}", kTransports[transport], system);
    return;
  }
  Fitted fitted = fit_rows(transport, group.calibration);
  fitted.summary.system = system;
  fitted.summary.transport = kTransports[transport];
  fitted.summary.rows = group.calibration.size();
  Rows rows;
  for (const std::size_t i : group.rows) rows.push_back(result.rows[i].row);
  const std::vector<double> us = fitted.predict(rows);
  for (std::size_t i = 0; i < us.size(); ++i) result.rows[group.rows[i]].predicted_us = us[i];
  result.systems.push_back(std::move(fitted.summary));
}

}  // namespace

Validation validate(const std::vector<PublishedTime>& rows) {
  Validation result;
  std::map<std::pair<std::string, std::size_t>, Group> groups;
  for (const PublishedTime& row : rows) {
    const Implementation implementation = implementation_of(row);
    result.rows.push_back({row, std::nullopt, implementation.reason});
    const std::size_t transport = implementation.model.index();
    if (transport == 0) continue;
    Group& group = groups[{row.system, transport}];
    group.rows.push_back(result.rows.size() - 1);
    if (row.split == Split::calibrate) group.calibration.push_back(row);
  }
  for (const auto& [key, group] : groups) predict_group(key.first, key.second, group, result);
  return result;
}

}  // namespace arlab::bench
