#include "bench/training/decisions/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "algorithms/base/error.hpp"
#include "bench/options/caller.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/decisions/cheapest.hpp"
#include "bench/training/profiled/scale_row.hpp"
#include "training/io/json.hpp"
#include "training/telemetry/step_trace.hpp"

namespace arlab::bench {
namespace {

std::string ms_of(double picoseconds) { return show_time(picoseconds / 1e6); }

std::string breakdown_table(const std::vector<ScaleRow>& rows, bool costs) {
  std::vector<std::vector<std::string>> table;
  const std::vector<std::string> devices = told_devices(rows);
  for (const ScaleRow& r : rows) {
    table.push_back({r.model, devices[table.size()], std::to_string(r.ranks),
                     show_count(r.batch * r.ranks), show_count(r.batch), r.network, r.strategy,
                     r.algorithm, r.scheduler, r.compressor, ms_of(r.step), ms_of(r.computation),
                     ms_of(r.steps.communication), r.steps.codec > 0 ? ms_of(r.steps.codec) : "",
                     ms_of(std::max(0.0, r.step - r.computation)),
                     show_bytes(static_cast<Count>(r.steps.sent)),
                     show_rate(r.samples_per_second()),
                     fmt::format("{:.1f}%", 100 * r.efficiency()), std::string(name(r.limit))});
    std::ranges::move(cost_cells(r, costs), std::back_inserter(table.back()));
  }
  return compact(
      {"model",         "GPU",           "workers",      "batch",      "local batch", "network",
       "strategy",      "algorithm",     "scheduler",    "compressor", "step",        "compute",
       "communication", "codec",         "exposed",      "bytes",      "samples/s",   "efficiency",
       "limit",         kCostColumns[0], kCostColumns[1]},
      table);
}

// One per algorithm, scheduler, and compressor.
void add_rows(std::vector<ScaleRow>& rows, const PlanOptions& options,
              const training::ModelProfile& profile, const ScaleNetwork& network, Rank ranks) {
  for (const std::string& algorithm : options.algorithms)
    for (const std::string& scheduler : options.schedulers)
      for (const std::string& compressor : options.compressors) {
        training::TrainingPlan plan = options.plan(profile, scheduler, compressor, ranks);
        const training::MakeNetwork make = options.place(plan, profile, network);
        plan.algorithm = &choose_algorithm(
            algorithm.empty() ? std::string(plan.strategy->route) : algorithm, plan, make);
        rows.push_back(simulated_row({.model = profile.name,
                                      .device = profile.device,
                                      .network = network.text(),
                                      .strategy = options.strategy.name(),
                                      .scheduler = scheduler,
                                      .compressor = compressor,
                                      .batch = profile.batch,
                                      .price = price_of(options, profile.device),
                                      .alone = options.alone(profile, ranks)},
                                     plan, make, training::Ranks::automatic,
                                     !options.trace.empty()));
      }
}

std::vector<ScaleRow> rows_of(const PlanOptions& options) {
  const std::vector<training::ModelProfile> models = options.profiles();
  const std::vector<ScaleNetwork> networks = options.parsed_networks();
  const std::vector<Rank> workers = options.chosen_workers();
  const std::size_t runs = models.size() * workers.size() * networks.size() *
                           options.algorithms.size() * options.schedulers.size() *
                           options.compressors.size();
  if (runs > 1 && !options.trace.empty())
    fail(Blame::usage,
         fmt::format("--trace is of one run, but these are {}: choose one model, number of "
                     "workers, network, algorithm, scheduler and compressor",
                     runs));
  if (const std::string note = note_on_batch(options.batch, workers); !note.empty())
    say("note: {}\n", note);
  std::vector<ScaleRow> rows;
  for (const training::ModelProfile& model : models)
    for (const Rank ranks : workers)
      for (const ScaleNetwork& network : networks)
        add_rows(rows, options, options.on_each(model, ranks), network, ranks);
  return rows;
}

}  // namespace

void run_breakdown(const PlanOptions& options, Caller* caller) {
  if (!options.trace.empty()) check_writable(options.trace);
  check_can_write(options.json);
  const std::vector<ScaleRow> rows = rows_of(options);
  if (!options.trace.empty())
    write_file(options.trace, training::json_text(training::make_trace(rows.front().steps.spans,
                                                                       context(options.command))) +
                                  "\n");
  if (caller) {
    for (const ScaleRow& row : rows) caller->records.push_back(to_json(row));
  } else if (options.json != "-" && options.trace != "-") {
    const bool costs = asks_cost(options);
    print("{}\n", Lines{breakdown_table(rows, costs)});
    const std::vector<std::string> devices = told_devices(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) print("{}", Lines{explain(rows[i], devices[i])});
    if (costs) print_sentences(explain_cost(rows), true);
  }
  write_records(options.json, options.command, rows);
}

}  // namespace arlab::bench
