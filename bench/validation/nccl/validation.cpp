#include "bench/validation/nccl/validation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "algorithms/base/error.hpp"
#include "bench/validation/calibrated/nccl_call.hpp"
#include "bench/validation/nccl/operands.hpp"

namespace arlab::bench {
namespace {

using simulator::NcclCall;
namespace nccl = simulator::nccl;

// A machine with one version of NCCL.
struct FittedRows {
  std::vector<std::size_t> rows;  // of the result
  std::vector<NcclCall> calls;
};

simulator::nccl::Support support_of(const simulator::nccl::Machine& machine, Collective collective,
                                    const NcclRow& row) {
  return simulator::nccl::support_of(machine, collective, number_named(row.dtype),
                                     reduction_named(row.op));
}

std::optional<NcclCall> call_of(PredictedNccl& p) {
  const auto collective = collective_of(p.row.collective);
  if (!collective) {
    p.reason = "no model of the collective";
    return std::nullopt;
  }
  try {
    const auto machine = machine_of(p.row);
    if (!machine) {
      p.reason = why_no_machine(p.row);
      if (p.reason.empty()) p.reason = "a GPU without a data sheet here";
      return std::nullopt;
    }
    NcclCall call = simulator::make_nccl_call(*machine, *collective, p.row.bytes,
                                              support_of(*machine, *collective, p.row));
    p.algorithm = name(call.choice.estimate->algorithm);
    p.protocol = name(call.choice.estimate->protocol);
    p.nccl_us = call.choice.us;
    return call;
  } catch (const Error& error) {
    p.reason = error.what();
    return std::nullopt;
  }
}

// The parameters of a machine with rows of split calibrate.
struct FittedNode {
  nccl::Generation generation;
  std::vector<double> parameters;
};

std::optional<FittedNode> fit_calls(const std::string& machine, const FittedRows& group,
                                    NcclValidation& result) {
  const std::vector<simulator::Prior> priors = simulator::nccl_call_priors();
  std::vector<NcclCall> calls;
  std::vector<double> us;
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    if (const NcclRow& row = result.rows[group.rows[i]].row; row.split == NcclSplit::calibrate) {
      calls.push_back(group.calls[i]);
      us.push_back(row.us);
    }
  if (calls.empty()) return std::nullopt;
  FittedNode fitted{
      calls.front().tuning->machine.gpu.generation,
      simulator::robust_fit(
          priors, [&](std::span<const double> p) { return nccl_call_times(calls, p); }, us)
          .parameters};
  FittedSystem summary;
  summary.system = machine;
  summary.transport = "NCCL's choice";
  summary.rows = calls.size();
  for (std::size_t i = 0; i < priors.size(); ++i)
    summary.parameters.push_back({priors[i].name, fitted.parameters[i]});
  result.machines.push_back(std::move(summary));
  return fitted;
}

// What is known of a machine without rows to fit: its node is like those of its GPU's generation
// that were fitted (their geometric mean), its network like any.
std::vector<double> like_others(const FittedRows& group, const std::vector<FittedNode>& others) {
  const nccl::Generation generation = group.calls.front().tuning->machine.gpu.generation;
  const std::vector<simulator::Prior> priors = simulator::nccl_call_priors();
  std::vector<double> parameters;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const FittedNode& other : others)
      if (other.generation == generation && simulator::describes_node(i)) {
        sum += std::log(other.parameters[i]);
        ++count;
      }
    parameters.push_back(count > 0 ? std::exp(sum / count) : priors[i].median);
  }
  return parameters;
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
  std::map<std::string, std::optional<FittedNode>> by_machine;
  std::vector<FittedNode> all;
  for (const auto& [machine, group] : groups)
    if (by_machine[machine] = fit_calls(machine, group, result); by_machine[machine])
      all.push_back(*by_machine[machine]);
  for (const auto& [machine, group] : groups) {
    const std::vector<double> times = simulator::nccl_call_times(
        group.calls,
        by_machine[machine] ? by_machine[machine]->parameters : like_others(group, all));
    for (std::size_t i = 0; i < times.size(); ++i)
      result.rows[group.rows[i]].predicted_us = times[i];
  }
  return result;
}

}  // namespace arlab::bench
