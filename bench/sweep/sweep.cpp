#include "bench/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "algorithms/base/stop.hpp"
#include "bench/sweep/plan.hpp"
#include "bench/sweep/share.hpp"
#include "bench/sweep/workers.hpp"
#include "bench/text/units.hpp"

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

// The record of a configuration before it is evaluated, with the reason if it will be skipped.
Record planned(const SweepOptions& options, const Config& config, const MakeBody& make_body,
               const Estimator& estimate, Estimate& e) {
  Record r = record_of(make_body(config), config);
  if (r.skipped) return r;
  e = estimate(config, r);
  if (std::string why = too_big(options, e); !why.empty()) r.skipped = std::move(why);
  return r;
}

}  // namespace

double rounds_of_all(const Config& config, const Record& record) {
  const Problem& p = config.problem;
  const Count rounds =
      config.algorithm->rank_cost_model
          ? predicted_rank_cost(*config.algorithm, p, p.ranks - 1, config.segments).rounds
          : record.claimed->rounds;
  return static_cast<double>(rounds) * record.lanes.value_or(1) * p.ranks;
}

std::string too_big(const SweepOptions& options, const Estimate& e) {
  if (!e.impossible.empty()) return e.impossible;
  if (e.messages > options.max_messages)
    return fmt::format(
        "would take {:.3g} messages, about {}: raise --limit messages (now {:.3g}) to do it anyway",
        e.messages, show_seconds(e.seconds), options.max_messages);
  if (e.packets > options.max_messages)
    return fmt::format(
        "packets would cross {:.3g} links, about {}: use --network fluid, a larger mtu or fewer "
        "bytes, or raise --limit messages (now {:.3g})",
        e.packets, show_seconds(e.seconds), options.max_messages);
  if (e.seconds > options.max_seconds)
    return fmt::format(
        "would take up to {} and {} of memory: use fewer ranks, or raise --limit seconds (now "
        "{:.3g}) "
        "to do it anyway",
        show_seconds(e.seconds), show_memory(e.memory), options.max_seconds);
  static const double kUsable = 0.9 * available_memory();  // when the first one is estimated
  const double part = kUsable / std::max(1, options.jobs);
  if (kUsable > 0 && e.memory > part)
    return fmt::format(
        "would take about {} of memory, but only {} are free{}: use fewer ranks or a smaller size",
        show_memory(e.memory), show_memory(part),
        options.jobs > 1 ? fmt::format(" per thread, with --jobs {}", options.jobs) : "");
  return "";
}

int sweep(const SweepOptions& options, const std::vector<Config>& configs,
          const MakeBody& make_body, const Estimator& estimate, const Evaluate& evaluate,
          const Parallel& parallel) {
  check_outputs(options);
  if (options.share) check_share(options);
  if (options.plan) {
    Plan plan(configs.size());
    for (const Config& config : configs) {
      Estimate e;
      const Record r = planned(options, config, make_body, estimate, e);
      plan.add(r, e);
    }
    print(plan, options);
    return 0;
  }
  if (!configs.empty())
    check_table(options, record_of(make_body(configs.front()), configs.front()).kind());
  std::vector<Record> records;
  std::vector<double> seconds;
  records.reserve(configs.size());
  for (const Config& config : configs) {
    Estimate e;
    records.push_back(planned(options, config, make_body, estimate, e));
    seconds.push_back(records.back().skipped ? 0 : e.seconds);
  }
  std::optional<Share> share;
  if (options.share) share.emplace(options, records, seconds);
  const Range mine = share ? share->mine() : Range{0, configs.size()};
  Output output(share ? share->options() : options, mine.end - mine.begin);
  std::vector<std::size_t> units;
  std::vector<char> is_held;
  for (std::size_t i = mine.begin; i < mine.end; ++i) {
    is_held.push_back(output.holds(records[i]));
    if (i > mine.begin && parallel.together && parallel.together(configs[i - 1], configs[i]))
      ++units.back();
    else
      units.push_back(1);
  }
  std::vector<Evaluate> by_thread{evaluate};
  for (int t = 1; t < parallel.threads; ++t) by_thread.push_back(parallel.another());
  work_in_order(
      units, parallel.threads,
      [&](std::size_t item, int thread) {
        const std::size_t i = mine.begin + item;
        stop_if_asked();
        if (is_held[item] || records[i].skipped) return;
        output.show(records[i]);
        by_thread[static_cast<std::size_t>(thread)](configs[i], records[i]);
      },
      [&](std::size_t item) {
        Record& record = records[mine.begin + item];
        if (is_held[item])
          output.keep(record);
        else
          output.add(std::move(record));
      });
  const int code = output.finish();
  if (share) share->merge();
  return code;
}

}  // namespace arlab::bench
