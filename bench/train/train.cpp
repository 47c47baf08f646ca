// arlab train: runs data-parallel training, and reports the cost of communication.
//
// It is part of the program arlab-train, the only one that links LibTorch: loading it takes a third
// of a second, which would delay every other command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/cli/progress.hpp"
#include "bench/cli/say.hpp"
#include "bench/cli/topology_options.hpp"
#include "bench/cli/units.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/results/context.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/result_file.hpp"
#include "bench/train/check_options.hpp"
#include "bench/train/configs.hpp"
#include "bench/train/plan.hpp"
#include "bench/train/record_profile.hpp"
#include "bench/train/report.hpp"
#include "bench/train/study.hpp"
#include "bench/train/tune.hpp"
#include "training/cluster/cluster.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  arlab train
  arlab train -m mlp,cnn_pooled -w 1,2,4 --epochs 3 --json results.jsonl
  mpirun -n 2 arlab train -m cnn --algorithm ring --checkpoint run1/
  arlab train -b virtual -w 8 --bandwidth 100M,1G,10G --compressor none fp16 topk powersgd
  arlab train -b virtual -w 8 --bandwidth 1G --compressor none fp16 topk --tune settings.txt
  arlab train -b threads -m profile:resnet50
  arlab train -b simulated -m profile:resnet50 -w 8,64,512)";

using collectives::Backend;
using collectives::Placement;

// Throws Error(usage) if TF_CONFIG or Slurm name workers that are not part of the MPI job: this
// process would silently train alone.
void check_cluster(const Job& job) {
  const training::Cluster cluster = training::resolve_cluster(training::process_environment);
  const auto ranks = cluster.workers + static_cast<Rank>(cluster.servers.size());
  if (ranks == 1 || ranks == job.ranks()) return;
  std::string hosts;
  for (const auto* list : {&cluster.addresses, &cluster.servers})
    for (const std::string& address : *list)
      hosts += fmt::format("{}{}", hosts.empty() ? "" : ",", training::host_of(address));
  fail(Blame::usage,
       fmt::format("{} names {} workers and servers, but this {}: start all of them as one job, "
                   "`mpirun -n {} -H {} arlab train ...`, or unset its variables",
                   cluster.source, ranks,
                   job.ranks() == 0 ? std::string("process is not part of an MPI job")
                                    : fmt::format("MPI job has {} ranks", job.ranks()),
                   ranks, hosts));
}

void record(const TrainOptions& options, const std::vector<TrainConfig>& configs) {
  const training::Architecture& architecture = *configs.front().architecture;
  if (options.models.size() > 1 || options.batch_on(1) > options.samples)
    fail(Blame::usage, fmt::format("--record-profile is of one model and a batch of at most the "
                                   "samples of an epoch, {}: choose one, and a smaller --batch",
                                   options.samples));
  const training::ModelProfile profile =
      recorded_profile(options.on(1), architecture, datasets_of(options, architecture));
  write_file(options.record_profile, training::to_json_text(profile));
  say_written(options.record_profile);
}

int run(TrainOptions& options, Job& job) {
  check_cluster(job);
  const Backend emulated = options.world.backend({}, options.seed);
  const Backend& backend =
      options.backend == emulated.name ? emulated : job.backend(options.backend);
  const bool is_virtual = backend.placement == Placement::emulated;
  constexpr std::string_view kDevices[] = {"cpu", "cuda"};
  if (std::ranges::find(kDevices, options.device) == std::end(kDevices))
    fail(Blame::usage, fmt::format("device '{}' is not known: use cpu or cuda", options.device));
  check_values(options);
  const std::vector<TrainConfig> configs = configs_of(options, job, backend);
  check_effects(options, configs);
  if (const std::string note = note_on_single_worker(options, configs);
      job.is_root() && !note.empty())
    say("note: {}\n", Message{note});
  if (job.is_root()) check_outputs(options);
  if (options.plan) {
    if (job.is_root()) write_file("-", plan_text(options, configs));
    return 0;
  }
  if (options.tunes()) return tune(options.on(configs.front().workers), job, backend, configs);
  if (!options.record_profile.empty()) {
    if (job.is_root()) record(options, configs);
    return 0;
  }
  std::optional<ResultFile> json;
  std::optional<CsvFile> csv;
  if (job.is_root() && !options.json.empty())
    json.emplace(options.json, ResultFile::Mode::fresh, context(options.command));
  if (job.is_root() && !options.csv.empty()) csv.emplace(options.csv);
  std::vector<TrainResult> results;
  std::set<std::string> printed;
  const training::Architecture* made_for = nullptr;
  Datasets data;
  for (const TrainConfig& config : configs) {
    if (std::exchange(made_for, config.architecture) != config.architecture)
      data = datasets_of(options, *config.architecture);
    TrainResult result;
    const Backend chosen =
        is_virtual ? options.world.backend(config.network, options.seed) : backend;
    job.run(chosen, {.ranks = config.ranks, .patience = options.patience},
            [&](collectives::Executor& executor) {
              TrainResult mine = train(executor, config, options.on(config.workers), data);
              if (executor.control().rank() == 0) result = std::move(mine);
            });
    if (!job.is_root()) continue;
    if (!result.codes.advice.empty() && printed.insert(result.codes.advice).second)
      say("note: {}\n", result.codes.advice);
    const Json record = to_json(train_record(result, options.on(config.workers)));
    if (json) json->add(record);
    if (csv) csv->add(record);
    results.push_back(std::move(result));
  }
  if (!job.is_root() || options.json == "-" || options.csv == "-") return 0;
  if (is_virtual && results.size() > 1) {
    const std::vector<RunSummary> runs = summaries_of(results);
    const auto target = options.target > 0 ? std::optional(options.target) : std::nullopt;
    print("{}\n{}", Lines{comparison_table(runs, target)}, Lines{explain(runs, target)});
    return 0;
  }
  print("{}", Lines{train_table(results)});
  const std::string explanation = explain(results.back());
  if (!explanation.empty()) print("\n{}", Lines{explanation});
  return 0;
}

}  // namespace

void add_train(CLI::App& command, Session& session) {
  if (add_profiled_training(command, session)) return;
  command.description("Train a model on several workers, and report the cost of communication\n\n" +
                      std::string(kExamples) + "\n");
  command.footer("");  // not the program's examples
  const auto options = std::make_shared<TrainOptions>();
  options->add(command);
  command.callback([options, &session] {
    options->command = session.command;
    options->algorithms = without_repeats(options->algorithms);
    options->world.bandwidths = without_repeats(options->world.bandwidths);
    for (auto* specs : {&options->schedulers, &options->compressors})
      *specs = without_repeats(split_specs(*specs));
    if (session.progress) session.progress->stop();  // training shows its own
    session.exit_code = in_job([&](Job& job) { return run(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
