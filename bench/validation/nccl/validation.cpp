#include "bench/validation/nccl/validation.hpp"

#include <fmt/format.h>

#include <map>

#include "algorithms/base/error.hpp"
#include "bench/validation/calibrated/nccl_call.hpp"

namespace arlab::bench {
namespace {

using simulator::NcclCall;

// A machine with one version of NCCL.
struct FittedRows {
  std::vector<std::size_t> rows;  // of the result
  std::vector<NcclCall> calls;
};

// NVSwitches add no 8-bit integers.
bool switch_adds(const NcclRow& row) { return !row.dtype.ends_with("int8"); }

std::optional<NcclCall> call_of(PredictedNccl& p) {
  const auto collective = collective_of(p.row.collective);
  if (!collective) {
    p.reason = "no model of the collective";
    return std::nullopt;
  }
  try {
    const auto machine = machine_of(p.row);
    if (!machine) {
      p.reason = "a GPU without a data sheet here";
      return std::nullopt;
    }
    NcclCall call =
        simulator::make_nccl_call(*machine, *collective, p.row.bytes, switch_adds(p.row));
    p.algorithm = name(call.choice.estimate->algorithm);
    p.protocol = name(call.choice.estimate->protocol);
    p.nccl_us = call.choice.us;
    return call;
  } catch (const Error& error) {
    p.reason = error.what();
    return std::nullopt;
  }
}

void predict(const std::string& machine, const FittedRows& group, NcclValidation& result) {
  const std::vector<simulator::Prior> priors = simulator::nccl_call_priors();
  std::vector<NcclCall> fitted;
  std::vector<double> us, parameters;
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    if (const NcclRow& row = result.rows[group.rows[i]].row; row.split == NcclSplit::calibrate) {
      fitted.push_back(group.calls[i]);
      us.push_back(row.us);
    }
  for (const simulator::Prior& prior : priors) parameters.push_back(prior.median);
  if (!fitted.empty())
    parameters =
        simulator::robust_fit(
            priors,
            [&](std::span<const double> p) { return simulator::nccl_call_times(fitted, p); }, us)
            .parameters;
  const std::vector<double> all = simulator::nccl_call_times(group.calls, parameters);
  for (std::size_t i = 0; i < all.size(); ++i) result.rows[group.rows[i]].predicted_us = all[i];
  if (fitted.empty()) return;
  FittedSystem summary;
  summary.system = machine;
  summary.transport = "NCCL's choice";
  summary.rows = fitted.size();
  for (std::size_t i = 0; i < priors.size(); ++i)
    summary.parameters.push_back({priors[i].name, parameters[i]});
  result.machines.push_back(std::move(summary));
}

}  // namespace

NcclValidation validate_nccl(const std::vector<NcclRow>& rows) {
  NcclValidation result;
  std::map<std::string, FittedRows> groups;
  for (const NcclRow& row : rows) {
    result.rows.push_back(
        {.row = row, .algorithm = "", .protocol = "", .predicted_us = {}, .reason = ""});
    const std::optional<NcclCall> call = call_of(result.rows.back());
    if (!call) continue;
    FittedRows& group =
        groups[row.version.empty() ? row.machine
                                   : fmt::format("{}, NCCL {}", row.machine, row.version)];
    group.rows.push_back(result.rows.size() - 1);
    group.calls.push_back(*call);
  }
  for (const auto& [machine, group] : groups) predict(machine, group, result);
  return result;
}

}  // namespace arlab::bench
