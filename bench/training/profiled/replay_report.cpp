#include "bench/training/profiled/replay_report.hpp"

#include <fmt/format.h>

#include "algorithms/base/printable.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::bench {
namespace {

std::string time_of(double seconds) { return show_time(1e6 * seconds); }

std::string route_of(const ReplayResult& r) {
  if (r.config.ranks == 1) return "";
  return training::find_strategy(r.config.learning.strategy).direct ? "direct" : r.route;
}

// What is neither passes nor waiting: this machine's own work for each step.
double rest(const ReplayResult& r) {
  constexpr double kRounding = 1e-9;  // emulated ranks have none
  const double left = r.step - r.compute - r.exposed;
  return left > kRounding ? left : 0;
}

}  // namespace

std::string replay_table(const std::vector<ReplayResult>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const ReplayResult& r : results) {
    const training::GradientOptions& gradients = r.config.learning.options.gradients;
    rows.push_back({r.config.profile->name, std::to_string(r.config.workers),
                    show_count(r.config.profile->batch * r.config.workers),
                    show_count(r.config.profile->batch), r.config.backend, r.config.network,
                    r.config.learning.strategy, route_of(r), scheduler_text(gradients),
                    compressor_label(gradients), time_of(r.step), time_of(r.compute),
                    time_of(r.communication), r.codec > 0 ? time_of(r.codec) : "",
                    time_of(r.exposed), time_of(rest(r)), show_bytes(static_cast<Count>(r.bytes)),
                    show_rate(r.samples_per_second()),
                    fmt::format("{:.1f}%", 100 * r.efficiency())});
  }
  return compact({"model", "workers", "batch", "local batch", "backend", "network", "strategy",
                  "algorithm", "scheduler", "compressor", "step", "compute", "communication",
                  "codec", "exposed", "rest", "bytes", "samples/s", "efficiency"},
                 rows);
}

std::string explain_replay(const ReplayResult& r) {
  const training::GradientOptions& gradients = r.config.learning.options.gradients;
  std::string how = r.config.learning.strategy;
  for (const std::string& part :
       {route_of(r), scheduler_text(gradients), compressor_label(gradients)})
    if (!part.empty() && part != "none") how += ", " + part;
  const std::string text = fmt::format(
      "{} on {}, {}: {} of computation were replayed per step, as waiting; {} of communication was "
      "{}, and {} of it exposed.",
      printable(r.config.profile->name), show_plural(r.config.workers, "worker"), how,
      time_of(r.compute), time_of(r.communication), r.config.network.empty() ? "real" : "simulated",
      time_of(r.exposed));
  if (rest(r) == 0) return text + "\n";
  return fmt::format(
      "{} {} were work of this machine outside of both, such as the check of all gradients.\n",
      text, time_of(rest(r)));
}

Json to_json(const ReplayResult& r) {
  const training::GradientOptions& gradients = r.config.learning.options.gradients;
  const auto us = [](double seconds) { return 1e6 * seconds; };
  return {{"schema", kSchema},
          {"kind", "replay"},
          {"model", r.config.profile->name},
          {"device", r.config.profile->device},
          {"backend", r.config.backend},
          {"network", text_or_null(r.config.network)},
          {"workers", r.config.workers},
          {"ranks", r.config.ranks},
          {"batch_per_worker", r.config.profile->batch},
          {"strategy", training::short_text(training::find_strategy(r.config.learning.strategy),
                                      r.config.learning.options.values)},
          {"algorithm", text_or_null(route_of(r))},
          {"scheduler", scheduler_text(gradients)},
          {"compressor", gradients.compressor ? Json(compressor_text(gradients)) : Json(nullptr)},
          {"overlap", r.config.learning.overlap},
          {"step_us", us(r.step)},
          {"steps_us", r.step_us},
          {"computation_us", us(r.compute)},
          {"exposed_us", us(r.exposed)},
          {"communication_us", us(r.communication)},
          {"codec_us", us(r.codec)},
          {"rest_us", us(rest(r))},
          {"bytes_per_rank_step", r.bytes},
          {"samples_per_s", r.samples_per_second()},
          {"efficiency", r.efficiency()}};
}

}  // namespace arlab::bench
