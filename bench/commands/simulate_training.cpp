// arlab train -b simulated: simulates training from a profile, at any number of workers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/options.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/profiled/scale_row.hpp"
#include "bench/training/settings_file.hpp"
#include "training/io/json.hpp"
#include "training/telemetry/step_trace.hpp"

namespace arlab::bench {
namespace {

struct SimulatedTraining {
  ScaleOptions scale;
  std::vector<std::string> workers{"8"}, algorithms{""}, schedulers{"buckets"}, compressors{"none"};
  std::string backend = "simulated", trace;
};

std::string ms_of(double picoseconds) { return show_time(picoseconds / 1e6); }

std::string training_table(const std::vector<ScaleRow>& rows) {
  std::vector<std::vector<std::string>> table;
  for (const ScaleRow& r : rows)
    table.push_back({r.model, std::to_string(r.ranks), show_count(r.batch * r.ranks),
                     show_count(r.batch), r.network, r.strategy, r.algorithm, r.scheduler,
                     r.compressor, ms_of(r.step), ms_of(r.computation),
                     ms_of(r.steps.communication), r.steps.codec > 0 ? ms_of(r.steps.codec) : "",
                     ms_of(std::max(0.0, r.step - r.computation)),
                     show_bytes(static_cast<Count>(r.steps.sent)),
                     fmt::format("{:.0f}", r.samples_per_second()),
                     fmt::format("{:.1f}%", 100 * r.efficiency()), std::string(name(r.limit))});
  return compact({"model", "workers", "batch", "local batch", "network", "strategy", "algorithm",
                  "scheduler", "compressor", "step", "compute", "communication", "codec", "exposed",
                  "bytes", "samples/s", "efficiency", "limit"},
                 table);
}

std::vector<ScaleRow> rows_of(const SimulatedTraining& options) {
  const training::ModelProfile model = options.scale.profile();
  const std::vector<ScaleNetwork> networks = options.scale.parsed_networks();
  std::vector<Rank> workers;
  for (const Count n : parse_counts(options.workers, "--workers"))
    workers.push_back(checked_number(n, "--workers", 1, kMostSimulatedWorkers));
  const std::size_t runs = workers.size() * networks.size() * options.algorithms.size() *
                           options.schedulers.size() * options.compressors.size();
  if (runs > 1 && !options.trace.empty())
    fail(Blame::usage, fmt::format("--trace is of one run, but these are {}: choose one number of "
                                   "workers, network, algorithm, scheduler and compressor",
                                   runs));
  if (const std::string note = note_on_batch(options.scale.batch, workers); !note.empty())
    say("note: {}\n", note);
  std::vector<ScaleRow> rows;
  for (const Rank ranks : workers) {
    const training::ModelProfile profile = options.scale.on_each(model, ranks);
    for (const ScaleNetwork& network : networks)
      for (const std::string& algorithm : options.algorithms)
        for (const std::string& scheduler : options.schedulers)
          for (const std::string& compressor : options.compressors) {
            training::TrainingPlan plan = options.scale.plan(profile, scheduler, compressor, ranks);
            const training::MakeNetwork make = options.scale.place(plan, profile, network);
            plan.algorithm = &choose_algorithm(
                algorithm.empty() ? std::string(plan.strategy->route) : algorithm, plan, make);
            rows.push_back(simulated_row({.model = profile.name,
                                          .network = network.text(),
                                          .strategy = options.scale.strategy.name(),
                                          .scheduler = scheduler,
                                          .compressor = compressor,
                                          .batch = profile.batch},
                                         plan, make, training::Ranks::automatic,
                                         !options.trace.empty()));
          }
  }
  return rows;
}

void run_simulated(const SimulatedTraining& options) {
  if (!options.trace.empty()) check_writable(options.trace);
  check_can_write(options.scale.json);
  const std::vector<ScaleRow> rows = rows_of(options);
  if (!options.trace.empty())
    write_file(options.trace, training::json_text(training::make_trace(
                                  rows.front().steps.spans, context(options.scale.command))) +
                                  "\n");
  if (options.scale.json != "-" && options.trace != "-") {
    print("{}\n", Lines{training_table(rows)});
    for (const ScaleRow& row : rows) print("{}", Lines{explain(row)});
  }
  if (options.scale.json.empty()) return;
  ResultFile file(options.scale.json, ResultFile::Mode::fresh, context(options.scale.command));
  for (const ScaleRow& row : rows) file.add(to_json(row));
}

}  // namespace

void add_simulated_training(CLI::App& command, Session& session) {
  command.description(
      "Simulate training from a profile, at any number of workers (--backend simulated)");
  command.footer(
      "Examples:\n  arlab train -b simulated -m profile:resnet50 -w 8,64,512 --bandwidth 10G,100G\n"
      "  arlab train -m profile:bert-large -w 256 -a rabenseifner --scheduler fifo mg_wfbp "
      "--compressor none fp16\n"
      "  arlab train -m profile:gpt2-xl -w 64 --topology rail_pod -a hierarchical --trace "
      "trace.json");
  const auto options = std::make_shared<SimulatedTraining>();
  command
      .add_option("-b,--backend", options->backend,
                  "simulated; with another one, a profile is replayed: `arlab train -m "
                  "profile:resnet50 -b threads --help` has its options")
      ->type_name("NAME");
  as_list(command.add_option("-w,-p,--workers,--ranks", options->workers,
                             "Workers: 8 (default), or 8,64,512, up to 16384"))
      ->type_name("COUNTS");
  options->scale.add(command);
  as_list(command.add_option(
              "-a,--algorithm", options->algorithms,
              "Allreduce algorithm: any of `arlab list algorithms` (default: by "
              "strategy, ring or tree), or auto: the fastest of a few on this network; or several"))
      ->type_name("NAMES");
  command
      .add_option(
          "--scheduler", options->schedulers,
          "Order of gradient messages: any of `arlab list schedulers` (default buckets); or "
          "several")
      ->type_name("SPECS");
  command
      .add_option("--compressor", options->compressors,
                  "Compression of gradients: any of `arlab list compressors` (default none); or "
                  "several")
      ->type_name("SPECS");
  command
      .add_option("--bandwidth,--topology,--machine,--network", options->scale.networks,
                  "Of each worker's port, in bits per second: 10G (default), or 10G,100G; or "
                  "topologies such as fat_tree:k=16; or machine files (.toml)")
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NETWORKS");
  command
      .add_option("--trace", options->trace,
                  "Write a trace of computation and communication for Perfetto; - is stdout, alone")
      ->type_name("FILE");
  add_settings_option(command);
  command.callback([options, &command, &session] {
    options->scale.command = session.command;
    options->algorithms = without_repeats(options->algorithms);
    for (auto* specs : {&options->schedulers, &options->compressors})
      *specs = without_repeats(split_specs(*specs));
    options->scale.check_effects(command, options->algorithms, options->compressors);
    run_simulated(*options);
  });
}

}  // namespace arlab::bench
