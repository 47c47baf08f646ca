#include "bench/training/train/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/results/context.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/profiled/time_to_accuracy.hpp"
#include "bench/training/train/configs.hpp"
#include "bench/training/train/record_profile.hpp"
#include "bench/training/train/report.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::Placement;

void check_tuning(const TrainOptions& options, const std::vector<TrainConfig>& configs) {
  if (configs.empty())
    fail(Blame::usage, "--tune has no setting to train with: the notes above say why");
  const bool emulated = configs.front().backend->placement == Placement::emulated;
  if (options.models.size() > 1 || options.chosen_workers().size() > 1 ||
      (emulated && options.world().networks().size() > 1))
    fail(Blame::usage,
         "--tune is for one model and one number of workers on one network: give one of each");
  if (configs.front().ranks == 1)
    fail(Blame::usage, "--tune needs at least 2 workers: a single worker exchanges nothing");
  if (!emulated && options.networks.empty())
    fail(Blame::usage,
         "--tune searches in simulation: give the network with --network, such as the machine file "
         "that `arlab calibrate -o machine.toml` writes");
  for (const std::string_view option :
       {"--checkpoint", "--tensorboard", "--trace", "--record-profile"})
    if (options.given(option))
      fail(Blame::usage, fmt::format("--tune trains several settings, and {} is of one run: leave "
                                     "one of them out",
                                     option));
}

// What a worker computes in a step of emulated training.
training::ModelProfile computed_profile(const TrainConfig& c, Count samples, std::uint64_t seed) {
  training::ModelProfile profile{.name = std::string(c.architecture->name), .batch = samples};
  const auto replica = training::make_replica(*c.architecture, {.seed = seed});
  for (const training::Variable& v : replica->variables()) {
    const double forward = static_cast<double>(v.work * samples) / c.learning.speed;
    profile.layers.push_back({.name = v.name,
                              .tensors = {{"value", v.elements}},
                              .forward = to_time(forward * kPicosecondsPerSecond),
                              .backward = to_time(2 * forward * kPicosecondsPerSecond)});
  }
  return profile;
}

training::ModelProfile profile_of(const TrainOptions& options, const TrainConfig& c,
                                  const Datasets& data) {
  TrainOptions alone = options;
  alone.batch = (c.batch + c.workers - 1) / c.workers;
  if (c.learning.speed > 0) return computed_profile(c, alone.batch, options.seed);
  return recorded_profile(alone, *c.architecture, data);
}

ScaleOptions scale_of(const TrainOptions& options, const TrainConfig& c) {
  ScaleOptions scale;
  scale.networks = options.networks;
  if (c.backend->placement == Placement::emulated) {
    const VirtualRun world = options.world();
    scale.networks = world.network_words();
    scale.slowdown = world.slowdown.size() == 1 ? world.slowdown_on(c.workers) : world.slowdown;
    scale.jitter = world.jitter;
  }
  scale.set_strategy(c.learning);
  scale.seed = options.seed;
  return scale;
}

TrainConfig with(TrainConfig config, const ExchangeSetting& setting, const TrainOptions& options) {
  training::GradientOptions& gradients = config.learning.options.gradients;
  config.learning.route = setting.algorithm;
  set_scheduler(gradients, setting.scheduler);
  set_compressor(gradients, setting.compressor);
  if (config.backend->placement == Placement::emulated)
    gradients.codec = options.world().codec_of(gradients, config.architecture->parameters);
  return config;
}

SearchSpace space_of(const TrainOptions& options, const TrainConfig& base) {
  SearchSpace space{.algorithms = {}, .schedulers = {}, .compressors = {}};
  if (options.given("--algorithm")) space.algorithms = options.algorithms;
  if (options.given("--scheduler")) space.schedulers = chosen_schedulers(options);
  for (const std::string& compressor : chosen_compressors(options)) {
    const ExchangeSetting setting{.algorithm = "", .compressor = compressor};
    if (why_left_out(with(base, setting, options)).empty()) space.compressors.push_back(compressor);
  }
  if (space.compressors.empty())
    fail(Blame::usage,
         fmt::format("--tune can train with none of the compressors: {}", why_left_out(base)));
  return space;
}

SettingsSearch searched(const TrainOptions& options, const TrainConfig& base,
                        const SearchSpace& space, const Datasets& data) {
  return search_settings({.scale = scale_of(options, base),
                          .profile = profile_of(options, base, data),
                          .workers = base.workers,
                          .codec =
                              [&](const std::string& compressor) {
                                training::GradientOptions gradients;
                                set_compressor(gradients, compressor);
                                return options.world().codec_of(gradients,
                                                                base.architecture->parameters);
                              }},
                         space);
}

// Without --tune, this setting runs.
ExchangeSetting usual_setting(const TrainOptions& options, const TrainConfig& base,
                              const SearchSpace& space) {
  const std::string& algorithm = options.algorithms.front();
  const std::string_view route = training::find_strategy(base.learning.strategy).route;
  return {.algorithm = algorithm.empty() ? std::string(route) : algorithm,
          .scheduler = chosen_schedulers(options).front(),
          .compressor = space.compressors.front()};
}

// Processes have measured different times, and must train with the same settings: rank 0's.
std::vector<ExchangeSetting> shared(std::vector<ExchangeSetting> settings, Job& job,
                                    const Backend& backend, const TrainConfig& base,
                                    const collectives::Patience& patience) {
  if (job.placement(backend) != Placement::processes) return settings;
  job.run(backend, {.ranks = base.ranks, .patience = patience}, [&](collectives::Executor& e) {
    std::string text;
    for (const ExchangeSetting& s : settings)
      text += fmt::format("{} {} {} {}\n", s.algorithm, s.scheduler, s.compressor, s.simulated);
    std::istringstream lines(collectives::share(e.control(), text));
    settings.clear();
    for (ExchangeSetting s; lines >> s.algorithm >> s.scheduler >> s.compressor >> s.simulated;)
      settings.push_back(s);
  });
  return settings;
}

std::string settings_file(const TrainOptions& options, const TrainConfig& base,
                          const std::vector<Trial>& trials, std::size_t chosen, double target) {
  const Trial &best = trials[chosen], &usual = trials.front();
  const auto before = usual.seconds_to(target);
  return fmt::format(
             "# arlab train --settings: {} on {}, backend {}{}, strategy {}\n"
             "# {:.1f}% of the validation data in {} and {}; {} with the first setting that was "
             "tried, {}\n",
             base.architecture->name, show_plural(base.workers, "worker"), base.backend->name,
             scale_of(options, base).networks.front().insert(0, " "), base.learning.strategy,
             100 * target, show_plural(*best.steps_to(target), "step"),
             show_time(1e6 * *best.seconds_to(target)),
             before ? show_time(1e6 * *before) : "not reached", words_of(usual.setting)) +
         setting_lines(best.setting, training::find_strategy(base.learning.strategy));
}

void print_search(const SettingsSearch& search, const std::vector<Trial>& trials, double target) {
  print("{}{}\n{} simulated", Lines{trials_table(trials, target)},
        Lines{explain_missed(trials, target)},
        show_plural(static_cast<Count>(search.settings.size()), "setting"));
  if (search.left_out > 0) print(", {} left out ({})", search.left_out, search.reason);
  print(
      "; {} trained until {:.1f}% of the validation data were right, at most for the time of the "
      "fastest one before.\n",
      show_plural(static_cast<Count>(trials.size()), "setting"), 100 * target);
}

void write_records(const TrainOptions& options, const std::vector<TrainResult>& results) {
  std::optional<ResultFile> json;
  std::optional<CsvFile> csv;
  if (!options.json.empty())
    json.emplace(options.json, ResultFile::Mode::fresh, context(options.command));
  if (!options.csv.empty()) csv.emplace(options.csv);
  for (const TrainResult& result : results) {
    const Json record = to_json(train_record(result, options));
    if (json) json->add(record);
    if (csv) csv->add(record);
  }
}

}  // namespace

int tune(const TrainOptions& options, Job& job, const Backend& backend,
         const std::vector<TrainConfig>& configs) {
  check_tuning(options, configs);
  const TrainConfig& base = configs.front();
  const bool emulated = backend.placement == Placement::emulated;
  const Backend ranks = emulated ? options.world().backend(base.network, options.seed) : backend;
  const Datasets data = datasets_of(options, *base.architecture);
  const SearchSpace space = space_of(options, base);
  const SettingsSearch search = searched(options, base, space, data);
  const std::vector<ExchangeSetting> settings =
      shared(settings_to_train(search, usual_setting(options, base, space)), job, backend, base,
             options.patience);
  constexpr Count kMoreSteps = 4;       // than the first setting: shorter ones, in its time
  constexpr double kBelowUsual = 0.01;  // the default target: one point
  double target = options.target;
  std::vector<Trial> trials;
  std::vector<TrainResult> results;
  for (const ExchangeSetting& setting : settings) {
    const bool is_first = trials.empty();
    const TrialRun trial{.goal = !is_first    ? next_goal(trials, target)
                                 : target > 0 ? Goal{.accuracy = target}
                                              : Goal{},
                         .more = is_first ? 1 : kMoreSteps,
                         .label = fmt::format("{} of {}: {}: ", trials.size() + 1, settings.size(),
                                              words_of(setting))};
    const TrainConfig config = with(base, setting, options);
    TrainResult result;
    job.run(ranks, {.ranks = base.ranks, .patience = options.patience},
            [&](collectives::Executor& executor) {
              TrainResult mine = train(executor, config, options, data, &trial);
              if (executor.control().rank() == 0 || job.placement(backend) == Placement::processes)
                result = std::move(mine);
            });
    result.trial.setting = setting;
    trials.push_back(result.trial);
    results.push_back(std::move(result));
    if (target == 0) target = std::max(0.0, trials.front().curve.back().accuracy - kBelowUsual);
  }
  if (!job.is_root()) return 0;
  const bool prints = options.json != "-" && options.csv != "-" && options.tune != "-";
  if (prints) print_search(search, trials, target);
  const auto chosen = choose_trial(trials, target);
  if (chosen) write_file(options.tune, settings_file(options, base, trials, *chosen, target));
  write_records(options, results);
  if (!chosen)
    fail(Blame::check, fmt::format("no setting reached {:.1f}% of the validation data: train for "
                                   "more --epochs, or lower --target",
                                   100 * target));
  if (prints) say_written(options.tune);
  return 0;
}

}  // namespace arlab::bench
