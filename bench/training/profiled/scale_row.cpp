#include "bench/training/profiled/scale_row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/printable.hpp"
#include "bench/text/units.hpp"
#include "training/gpus/gpu.hpp"

namespace arlab::bench {
namespace {

double us(double picoseconds) { return picoseconds / 1e6; }

Limit limit_of(const ScaleRow& row) {
  constexpr double kHidden = 0.05;  // of the step
  if (row.uneven && row.step < 1.1 * row.computation) return Limit::stragglers;
  if (row.step - row.computation < kHidden * row.step) return Limit::computation;
  if (row.steps.startup > 0.5 * row.steps.communication) return Limit::latency;
  if (row.steps.codec > 0.5 * row.steps.communication) return Limit::coding;
  if (row.schedules && row.steps.communication < row.backward) return Limit::order;
  return Limit::bandwidth;
}

// What the strategy can do against start-up.
std::string advice_on_latency(const ScaleRow& row) {
  const training::StrategyKind& kind = training::find_strategy(row.strategy);
  const std::string part =
      fmt::format("Start-up takes {:.0f}% of the communication: ",
                  100 * std::min(1.0, row.steps.startup / row.steps.communication));
  if (row.direct) return part + "strategy multi_worker merges gradients and sends fewer messages.";
  const std::string more = kind.schedules  ? "merge gradients (scheduler buckets or mg_wfbp), or "
                           : kind.periodic ? "average less often (a larger every), or "
                                           : "";
  return part + more + "use an algorithm of fewer rounds.";
}

// What it can do against bytes.
std::string advice_on_bandwidth(const ScaleRow& row) {
  const training::StrategyKind& kind = training::find_strategy(row.strategy);
  if (row.direct)
    return fmt::format(
        "Use {}strategy multi_worker, whose ranks share the traffic, or a faster network.",
        row.servers > 0 ? fmt::format("more servers (--strategy {}:servers={}), {}", row.strategy,
                                      2 * row.servers, kind.compresses ? "a compressor, " : "")
                        : "");
  return fmt::format(
      "Send fewer bytes ({}larger batches per worker, {}), use a faster network, or an algorithm "
      "that fits it.",
      kind.compresses ? "compressor, " : "", kind.periodic ? "a larger every" : "local_sgd");
}

std::string advice(const ScaleRow& row) {
  switch (row.limit) {
    case Limit::computation:
      return "Faster GPUs or more of them shorten the training; the network does not.";
    case Limit::stragglers:
      return "All wait for the slowest worker: replace it, or give it fewer samples.";
    case Limit::latency:
      return advice_on_latency(row);
    case Limit::coding:
      return "Coding takes longer than the messages: use a cheaper compressor, or none.";
    case Limit::order:
      return "The communication would fit behind the backward pass: change its order (scheduler "
             "mg_wfbp, dear or priority).";
    case Limit::bandwidth:
      return advice_on_bandwidth(row);
  }
  return "";
}

// "ring, buckets, int8": what distinguishes rows of one model, number of workers and network.
std::string how(const ScaleRow& row) {
  std::string text = row.strategy;
  for (const std::string& part :
       {row.algorithm,
        row.schedules || row.scheduler != training::GradientOptions{}.scheduler ? row.scheduler
                                                                                : "",
        row.compressor == "none" ? "" : row.compressor})
    if (!part.empty()) text += ", " + part;
  return text;
}

}  // namespace

std::string_view name(Limit limit) {
  constexpr std::string_view kNames[] = {"computation", "latency", "bandwidth",
                                         "coding",      "order",   "stragglers"};
  return kNames[static_cast<std::size_t>(limit)];
}

ScaleRow simulated_row(ScaleRow row, const training::TrainingPlan& plan,
                       const training::MakeNetwork& network, training::Ranks ranks, bool trace) {
  row.ranks = plan.workers();
  row.servers = plan.servers;
  row.strategy_spec = training::short_text(*plan.strategy, plan.values);
  row.direct = plan.strategy->direct;
  row.algorithm = plan.ranks == 1 ? "" : row.direct ? "direct" : std::string(plan.algorithm->name);
  row.steps = training::simulate_training(plan, network, ranks, trace);
  row.step = row.steps.step();
  const bool waits = plan.strategy->synchronous || !plan.strategy->has_servers;
  row.uneven = waits && plan.slowdown_of(plan.slowest_worker()) > 1.1 * plan.least_slowdown();
  row.computation =
      waits ? training::computation_of(plan) : std::max(0.0, row.step - row.steps.exposed);
  if (plan.ranks == 1) row.alone = row.computation = row.step;  // also with jitter
  for (const training::Layer& layer : training::slowed(plan))
    row.backward += picoseconds(layer.backward);
  row.schedules = plan.strategy->schedules;
  row.limit = limit_of(row);
  return row;
}

std::vector<std::string> told_devices(const std::vector<ScaleRow>& rows) {
  std::vector<std::string> cells(rows.size());
  const auto differs = [&](const ScaleRow& row) { return row.device != rows.front().device; };
  if (std::ranges::none_of(rows, differs)) return cells;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const training::NamedDevice device = training::named_device(rows[i].device);
    cells[i] = device.gpu ? std::string(device.gpu->name) : rows[i].device;
    if (device.gpu && device.precision) cells[i] += fmt::format(" {}", name(*device.precision));
  }
  return cells;
}

std::string explain(const ScaleRow& row, const std::string& device) {
  const double exposed = std::max(0.0, row.step - row.computation);
  std::string sure = row.without_interval;
  if (row.interval)
    sure =
        fmt::format(" A step takes {} to {} with a probability of 80%.{}",
                    show_time(us(row.interval->low)), show_time(us(row.interval->high)),
                    row.interval->outside.empty()
                        ? ""
                        : fmt::format(" Outside what was calibrated: {}.", row.interval->outside));
  return fmt::format(
      "{} on {}{}, {}, {}: limited by {}. {} of {} of communication per step is exposed. {}{}\n",
      printable(row.model), show_plural(row.ranks, "worker"), device.empty() ? "" : " of " + device,
      row.network, how(row), name(row.limit), show_time(us(exposed)),
      show_time(us(row.steps.communication)), advice(row), sure);
}

Json to_json(const ScaleRow& row) {
  Json alternatives = Json::array();
  for (const Alternative& one : row.alternatives)
    alternatives.push_back(
        {{"what", one.what}, {"saves_fraction", one.saves}, {"tie", or_null(one.tie)}});
  const RunningCost cost = row.cost();
  return {
      {"schema", kSchema},
      {"kind", "plan"},
      {"model", row.model},
      {"device", row.device},
      {"network", row.network},
      {"ranks", row.ranks},
      {"servers", row.servers},
      {"batch_per_worker", row.batch},
      {"strategy", row.strategy_spec},
      {"algorithm", text_or_null(row.algorithm)},
      {"scheduler", row.scheduler},
      {"compressor", row.compressor == "none" ? Json(nullptr) : Json(row.compressor)},
      {"step_us", us(row.step)},
      {"low_us", row.interval ? Json(us(row.interval->low)) : Json(nullptr)},
      {"high_us", row.interval ? Json(us(row.interval->high)) : Json(nullptr)},
      {"beyond_calibration", row.interval ? Json(!row.interval->outside.empty()) : Json(nullptr)},
      {"computation_us", us(row.computation)},
      {"exposed_us", us(std::max(0.0, row.step - row.computation))},
      {"communication_us", us(row.steps.communication)},
      {"startup_us", us(row.steps.startup)},
      {"codec_us", us(row.steps.codec)},
      {"collectives", row.steps.collectives},
      {"bytes_per_rank_step", row.steps.sent},
      {"samples_per_s", row.samples_per_second()},
      {"dollars_per_million_samples", or_null(cost.dollars)},
      {"kwh_per_million_samples", or_null(cost.kilowatt_hours)},
      {"efficiency", row.efficiency()},
      {"each_rank", row.steps.each_rank},
      {"limit", name(row.limit)},
      {"alternatives", std::move(alternatives)}};
}

}  // namespace arlab::bench
