#include "bench/results/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "algorithms/base/error.hpp"
#include "algorithms/round_limit.hpp"
#include "bench/cli/units.hpp"
#include "bench/results/table.hpp"

namespace arlab::bench {
namespace {

// Bytes available without swapping; 0 if the system does not report it.
double available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  for (double kib = 0; in >> word;)
    if (word == "MemAvailable:" && in >> kib) return kib * 1024;
  return 0;
}

std::string show_seconds(double seconds) {
  if (seconds < 120) return show_time(seconds * 1e6);
  if (seconds < 2 * 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string show_memory(double bytes) {
  return show_bytes(static_cast<Bytes>(std::min(bytes, 9e18)));
}

}  // namespace

std::string too_big(const SweepOptions& options, const Estimate& e) {
  if (!e.impossible.empty()) return e.impossible;
  if (e.messages > options.max_messages)
    return fmt::format(
        "would take {:.3g} messages, about {}: raise --max-messages (now {:.3g}) to do it anyway",
        e.messages, show_seconds(e.seconds), options.max_messages);
  if (e.packets > options.max_messages)
    return fmt::format(
        "packets would cross {:.3g} links, about {}: use --model fluid, a larger --mtu or fewer "
        "bytes, or raise --max-messages (now {:.3g})",
        e.packets, show_seconds(e.seconds), options.max_messages);
  if (e.seconds > options.max_seconds)
    return fmt::format(
        "would take up to {} and {} of memory: use fewer ranks, or raise --max-seconds (now "
        "{:.3g}) "
        "to do it anyway",
        show_seconds(e.seconds), show_memory(e.memory), options.max_seconds);
  const double usable = 0.9 * available_memory();
  if (usable > 0 && e.memory > usable)
    return fmt::format(
        "would take about {} of memory, but only {} are free: use fewer ranks or a smaller size",
        show_memory(e.memory), show_memory(usable));
  return "";
}

RoundSize largest_round(const Config& config, Rank of_rank) {
  RoundSize largest;
  for (const Lane& lane : lanes_of(*config.algorithm, config.problem, config.segments)) {
    const Blocks blocks = lane.problem.blocks();
    for (LimitedProgram p(*config.algorithm, lane.problem, of_rank); p.next();) {
      Count reduced = 0;
      for (const Action& a : p.round())
        if (a.kind == ActionKind::reduce) reduced += blocks.size(a.chunks);
      largest.actions = std::max(largest.actions, static_cast<Count>(p.round().size()));
      largest.reduced_elements = std::max(largest.reduced_elements, reduced);
    }
  }
  return largest;
}

void print_plan(const std::vector<Record>& records, const std::vector<Estimate>& estimates) {
  std::vector<std::vector<std::string>> rows;
  Estimate sum;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    const Estimate& e = estimates[i];
    rows.push_back({r.algorithm, std::to_string(r.problem.ranks), show_bytes(r.bytes())});
    if (r.skipped) {
      rows.back().insert(rows.back().end(), {"", "", "", "", *r.skipped});
      continue;
    }
    const double sent = r.claimed ? static_cast<double>(r.claimed->elements) *
                                        static_cast<double>(collectives::size_of(r.operand.dtype))
                                  : 0;
    rows.back().insert(rows.back().end(), {r.claimed ? show_count(r.claimed->messages) : "",
                                           r.claimed ? show_memory(sent) : "",
                                           show_memory(e.memory), show_seconds(e.seconds)});
    sum.memory = std::max(sum.memory, e.memory);
    sum.seconds += e.seconds;
  }
  const auto done = std::count_if(records.begin(), records.end(),
                                  [](const Record& r) { return !r.skipped.has_value(); });
  std::cout << compact(
      {"algorithm", "ranks", "size", "messages", "bytes sent", "memory", "time", "skipped"}, rows);
  std::cout << fmt::format("\n{}, about {} in all, up to {} of memory\n",
                           show_plural(done, "configuration"), show_seconds(sum.seconds),
                           show_memory(sum.memory));
}

int sweep(const SweepOptions& options, const std::vector<Config>& configs,
          const MakeBody& make_body, const Estimator& estimate, const Evaluate& evaluate) {
  std::vector<Record> records;
  std::vector<Estimate> estimates;
  for (const Config& config : configs) {
    Record r = record_of(make_body(config), config);
    Estimate e;
    if (!r.skipped) {
      e = estimate(config, r);
      if (const std::string why = too_big(options, e); !why.empty()) r.skipped = why;
    }
    records.push_back(std::move(r));
    estimates.push_back(e);
  }
  if (options.plan) {
    print_plan(records, estimates);
    return 0;
  }
  Output output(options, configs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (output.has(records[i])) continue;
    output.show(records[i]);
    if (!records[i].skipped) evaluate(configs[i], records[i]);
    output.add(std::move(records[i]));
  }
  return output.finish();
}

}  // namespace arlab::bench
