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
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/results/context.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/train/check_options.hpp"
#include "bench/training/train/configs.hpp"
#include "bench/training/train/plan.hpp"
#include "bench/training/train/record_profile.hpp"
#include "bench/training/train/report.hpp"
#include "bench/training/train/roles.hpp"
#include "bench/training/train/steps.hpp"
#include "bench/training/train/study.hpp"
#include "bench/training/train/tune.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  arlab train
  arlab train -m mlp,cnn_pooled -w 1,2,4 --epochs 3 --json results.jsonl
  mpirun -n 2 arlab train -m cnn --algorithm ring --checkpoint run1/
  arlab train -b virtual -w 8 --network 100M,1G,10G --compressor none fp16 topk powersgd
  arlab train -b virtual -w 8 --network 1G --compressor none fp16 topk --tune settings.txt)";

using collectives::Backend;
using collectives::Placement;

void record(const TrainOptions& options, const std::vector<TrainConfig>& configs) {
  const training::Architecture& architecture = *configs.front().architecture;
  if (options.models.size() > 1 || options.batch_of(1) > options.samples)
    fail(Blame::usage, fmt::format("--record-profile is of one model and a batch of at most the "
                                   "samples of an epoch, {}: choose one, and a smaller --batch",
                                   options.samples));
  const training::ModelProfile profile =
      recorded_profile(options, architecture, datasets_of(options, architecture));
  write_file(options.record_profile, training::to_json_text(profile));
  say_written(options.record_profile);
}

void print_cautions(const std::vector<TrainConfig>& configs) {
  std::set<std::string> printed;
  for (const TrainConfig& c : configs)
    if (const auto& codes = c.learning.options.gradients.compressor)
      if (const std::string text = training::caution_of(*codes);
          !text.empty() && printed.insert(text).second)
        fmt::print(stderr, "note: {}\n", text);
}

void print_results(const std::vector<TrainResult>& results, const TrainOptions& options,
                   bool is_virtual) {
  if (is_virtual && results.size() > 1) {
    const std::vector<RunSummary> runs = summaries_of(results);
    const auto target = options.target > 0 ? std::optional(options.target) : std::nullopt;
    print("{}\n{}", Lines{comparison_table(runs, target)}, Lines{explain(runs, target)});
  } else {
    print("{}", Lines{train_table(results)});
    const std::string explanation = explain(results.back());
    if (!explanation.empty()) print("\n{}", Lines{explanation});
  }
  std::set<std::string> printed;
  for (const TrainResult& r : results)
    for (const std::string& text : {explain_left_out(r), explain_input(r)})
      if (printed.insert(text).second) print("{}", Lines{text});
  if (!is_virtual) print("{}", Lines{explain_fastest(results)});
}

// Trains each; on rank 0 records them, and returns what they found.
std::vector<TrainResult> train_all(const TrainOptions& options, Job& job, const Backend& backend,
                                   const std::vector<TrainConfig>& configs) {
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
    const Backend chosen = backend.placement == Placement::emulated
                               ? options.world().backend(config.network, options.seed)
                               : backend;
    job.on_first(config.ranks, [&] {
      job.run(chosen, {.ranks = config.ranks, .patience = options.patience},
              [&](collectives::Executor& executor) {
                TrainResult mine = train(executor, config, options, data);
                if (executor.control().rank() == 0) result = std::move(mine);
              });
    });
    if (!job.is_root()) continue;
    if (!result.codes.advice.empty() && printed.insert(result.codes.advice).second)
      say("note: {}\n", result.codes.advice);
    const Json record = to_json(train_record(result, options));
    if (json) json->add(record);
    if (csv) csv->add(record);
    results.push_back(std::move(result));
  }
  return results;
}

int run(TrainOptions& options, Job& job) {
  take_roles(options, job);
  const Backend emulated = options.world().backend({}, options.seed);
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
  if (job.is_root() && !options.dry_run) check_outputs(options);
  if (options.dry_run) {
    if (job.is_root()) write_file("-", plan_text(options, configs));
    return 0;
  }
  if (job.is_root()) print_cautions(configs);
  if (options.tunes()) return tune(options, job, backend, configs);
  if (!options.record_profile.empty()) {
    if (job.is_root()) record(options, configs);
    return 0;
  }
  const std::vector<TrainResult> results = train_all(options, job, backend, configs);
  if (!job.is_root()) return 0;
  if (options.json != "-" && options.csv != "-") print_results(results, options, is_virtual);
  std::fflush(stdout);
  const std::string diverged = explain_divergence(results);
  if (!diverged.empty()) say("error: {}\n", diverged);
  return diverged.empty() ? 0 : static_cast<int>(Blame::check);
}

}  // namespace

void add_train(CLI::App& command, Session& session) {
  command.description("Train a model on several workers, and report the cost of communication\n\n" +
                      std::string(kExamples) + "\n");
  command.footer("");  // not the program's examples
  const auto options = std::make_shared<TrainOptions>();
  options->add(command);
  command.callback([options, &session] {
    options->command = session.command;
    options->complete();
    if (session.progress) session.progress->stop();  // training shows its own
    session.exit_code = in_job([&](Job& job) { return run(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
