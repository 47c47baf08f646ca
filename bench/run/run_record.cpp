#include "bench/run/run_record.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "bench/results/context.hpp"
#include "bench/simulate/median_draw.hpp"
#include "bench/sweep/output.hpp"
#include "collectives/backends/gpus.hpp"

namespace arlab::bench {
namespace {

// The backend's name, with how its messages reach device memory where it has several ways.
std::string recorded_name(const collectives::Backend& backend,
                          const collectives::Executor& executor) {
  const std::string how = executor.transport();
  return how.empty() ? std::string(backend.name) : fmt::format("{} ({})", backend.name, how);
}

// Black for the library's choice, and a gray for each of its algorithms.
std::string native_color(const std::string& native) {
  if (native.empty()) return "#000000";
  static constexpr const char* kGrays[] = {"#333333", "#404040", "#4d4d4d", "#5a5a5a",
                                           "#676767", "#747474", "#818181", "#8e8e8e"};
  std::size_t hash = 0;
  for (const char c : native) hash = 31 * hash + static_cast<unsigned char>(c);
  return kGrays[hash % std::size(kGrays)];
}

}  // namespace

Record run_record(const RunCommand& command, const collectives::Backend& backend,
                  collectives::Executor& executor, const Config& config) {
  RunBody body = command.stated;
  body.backend = recorded_name(backend, executor);
  body.mode = config.mode;
  body.at_agreed_time = command.measure.at_agreed_time;
  if (command.measure.late_rank >= 0)
    body.disturbance = fmt::format("late={}:{:g}us", command.measure.late_rank,
                                   1e6 * command.measure.late_seconds);
  Record r = record_of(std::move(body), config);
  if (config.by_table) r.color = "#8c6d31";
  if (config.algorithm) {
    if (config.by_table) r.algorithm = r.label = row_name(config, "");
    return r;
  }
  r.algorithm = r.label = config.native.empty()
                              ? row_name(config, executor.baseline().name_of(config.problem))
                              : (config.by_table ? "auto:" : "") +
                                    executor.baseline_of(config.native).label(config.native);
  if (!config.by_table) r.color = native_color(config.native);
  r.family = "native";
  return r;
}

void fill_record(Record& r, const Config& config, const Measurement& m, const Measurements& all,
                 double limit) {
  auto& body = r.as<RunBody>();
  body.time_us = m.time_us;
  body.late_entry = m.late_entry;
  body.late_starts = m.late_starts;
  if (m.late_entry) body.clock = all.synchronized_clocks ? "synchronized" : "machine";
  if (all.synchronized_clocks) body.clock_deviation_us = all.clock_deviation_us;
  r.wrong = m.wrong;
  if (!r.claimed) {
    if (!m.native_choice.empty()) body.native_choice = m.native_choice;
    return;
  }
  r.sent = m.sent;
  r.claimed->rounds = most_rounds(*config.algorithm, config.problem, config.segments);
  if (m.traffic > 0 && m.time_us.median > 0 && limit > 0)
    body.copy_limit_fraction = m.traffic / m.time_us.median / 1e3 / limit;
}

std::optional<double> modelled_us(const ModelOptions& model, const Config& config) {
  const bool plain = config.mode.repeats == 1 && !config.mode.cold;
  if (model.machine_path.empty() || !config.algorithm || !plain) return std::nullopt;
  return microseconds(median_draw(model, config, {.segments = config.segments}).finish);
}

Json device_context() {
  return to_json(DeviceContext{.gpus = fmt::format("{} ({})", collectives::gpu_names(),
                                                   collectives::gpu_infos().front().details),
                               .links = collectives::gpu_links(),
                               .copy_limit = collectives::gpu_copy_limit(),
                               .cuda = collectives::cuda_versions(),
                               .nccl = collectives::nccl_version_or_none()});
}

}  // namespace arlab::bench
