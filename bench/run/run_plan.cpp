#include "bench/run/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/sweep/plan.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {

using collectives::Backend;

namespace {

// The wanted time and the check of each run, or as long as the fewest runs take.
double seconds_of(const RunCommand& command, double messages) {
  constexpr double kMessagesPerSecond = 1e7;  // of threads; more than networks send
  const MeasureOptions& m = command.measure;
  const double wanted = m.min_runs == m.max_runs ? 0 : 1.3 * m.seconds;
  return std::max(wanted, (m.min_runs + m.warm_ups + 1) * messages / kMessagesPerSecond);
}

// Vectors in device memory, and one at a time in host memory.
Estimate estimate_on_devices(const RunCommand& command, const Backend& backend,
                             const Config& config) {
  const Problem& p = config.problem;
  double available = 0;
  for (const collectives::DeviceInfo& device : backend.devices())
    available += static_cast<double>(device.memory);
  const double vector =
      static_cast<double>(p.elements) * static_cast<double>(config.element_size());
  const double needed = backend.vectors_per_rank * vector * p.ranks;
  Estimate e{.memory = vector};
  if (config.algorithm && unsupported(*config.algorithm, p).empty())
    e.messages =
        static_cast<double>(predicted_cost(*config.algorithm, p, config.segments).messages);
  e.seconds = seconds_of(command, e.messages * config.mode.repeats);
  if (backend.placement == collectives::Placement::colocated && needed > 0.9 * available)
    e.impossible = fmt::format(
        "would take about {} of the GPUs' {}: use fewer ranks or a smaller size",
        show_bytes(static_cast<Bytes>(needed)), show_bytes(static_cast<Bytes>(available)));
  return e;
}

}  // namespace

Estimate estimate(RunCommand& command, const Backend& backend, const Config& config) {
  const Problem& p = config.problem;
  if (backend.devices && backend.unavailable_reason().empty())
    return estimate_on_devices(command, backend, config);
  double vectors = static_cast<double>(backend.vectors_per_rank) * static_cast<double>(p.elements);
  Cost cost;
  if (config.algorithm && unsupported(*config.algorithm, p).empty()) {
    cost = predicted_cost(*config.algorithm, p, config.segments);
    vectors += command.rounds.reduced_elements(config);
  }
  return {.messages = static_cast<double>(cost.messages),
          .memory = vectors * static_cast<double>(config.element_size()) * p.ranks,
          .seconds = seconds_of(command, static_cast<double>(cost.messages) * config.mode.repeats)};
}

void print_plan(RunCommand& command, const Backend& backend, const std::vector<Config>& configs) {
  Plan plan(configs.size());
  for (const Config& c : configs) {
    Record r = record_of(RunBody{.mode = c.mode}, c);
    r.algorithm = row_name(c, "native");
    const Estimate e = estimate(command, backend, c);
    if (!r.skipped)
      if (std::string why = too_big(command.sweep, e); !why.empty()) r.skipped = std::move(why);
    plan.add(r, e);
  }
  print(plan, command.sweep);
}

std::string agreement(const RunCommand& command, const Backend& backend,
                      const std::vector<Config>& configs) {
  const MeasureOptions& m = command.measure;
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", backend.name, command.sweep.plan,
                  m.seconds, m.limited, m.min_runs, m.max_runs, m.warm_ups, m.precision,
                  m.seed ? fmt::to_string(*m.seed) : "none", m.at_agreed_time, m.late_rank,
                  m.late_seconds, command.patience.seconds > 0);
  for (const Config& c : configs)
    text +=
        fmt::format("; {} {} {} {} {} {} {} {} {} {} {} {} {} {}", row_name(c, "native"),
                    name(c.problem.collective), c.problem.ranks, c.problem.elements, c.problem.root,
                    c.segments, name(c.operand.dtype), name(c.operand.op), c.mode.in_place,
                    c.mode.repeats, c.mode.cold, c.problem.groups ? c.problem.groups->count() : 0,
                    c.problem.grid ? c.problem.grid->text() : "",
                    c.problem.forest ? c.problem.forest->network() : "");
  return text;
}

}  // namespace arlab::bench
