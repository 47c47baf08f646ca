// arlab replay: replays the computation of a profile on the clock, while
// the communication is real.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/profiled/replay_options.hpp"
#include "bench/training/profiled/replay_report.hpp"
#include "bench/training/profiled/tune_settings.hpp"
#include "bench/training/settings_file.hpp"
#include "bench/training/training_ranks.hpp"
#include "training/emulation/backend.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/profiles/profile_replica.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::Placement;

// Backend virtual, on a network of this kind.
Backend emulated_on(const ScaleNetwork& network) {
  return training::emulated_backend(
      [&network](Rank ranks, const std::function<void(collectives::Communicator&)>& body) {
        training::TrainingPlan plan;
        const auto made = network.on(plan, ranks, 0)();
        training::on_emulated_ranks(*made, ranks, body, {});
      });
}

void check_memory(const ReplayConfig& c, Placement placement, bool coded) {
  const double replicas = placement == Placement::processes ? 1 : c.ranks;
  const double needed = replicas * training::ProfileReplica::bytes(*c.profile, coded);
  const double memory = machine_memory();
  if (needed > memory)
    fail(Blame::usage,
         fmt::format("{} replicas of {} take {:.0f} GB, but this machine has {:.0f} GB of memory: "
                     "use fewer workers, a smaller model, or `arlab plan`",
                     replicas, c.profile->name, needed / 1e9, memory / 1e9));
}

// By number of workers.
using Profiles = std::map<Rank, training::ModelProfile>;

ReplayConfig config_of(const ReplayOptions& options, const Job& job, const Backend& backend,
                       Profiles& profiles, Rank workers) {
  const Placement placement = job.placement(backend);
  training::TrainerOptions learning = options.learning_on(placement);
  if (placement == Placement::emulated)
    learning.options.gradients.codec = parse_codec_cost(options.search_codec_cost());
  const TrainingRanks all =
      training_ranks(job, backend, learning, workers, options.asked_workers());
  if (!profiles.contains(all.workers))
    profiles.emplace(all.workers, options.profile_on(all.workers));
  ReplayConfig c{
      .profile = &profiles.at(all.workers),
      .learning = std::move(learning),
      .backend = std::string(backend.name),
      .network = {},
      .workers = all.workers,
      .ranks = all.ranks,
      .alone = options.alone(profiles.at(all.workers), all.workers) / kPicosecondsPerSecond,
      .slowdown = options.slowdown_by_rank(all.workers),
      .steps = options.steps};
  if (static_cast<Rank>(c.slowdown.size()) > c.workers)
    fail(Blame::usage, fmt::format("--compute slowdown has {} factors, but there are {}",
                                   c.slowdown.size(), show_plural(c.workers, "worker")));
  const auto is_code = [](const std::string& spec) { return spec != "none"; };
  check_memory(c, placement, std::ranges::any_of(options.compressors, is_code));
  return c;
}

std::vector<ReplayConfig> configs_of(const ReplayOptions& options, const Job& job,
                                     const Backend& backend, Profiles& profiles) {
  std::vector<ReplayConfig> all;
  for (const Rank workers : options.chosen_workers())
    for (const std::string& algorithm : options.algorithms)
      for (const std::string& scheduler : options.schedulers)
        for (const std::string& compressor : options.compressors) {
          ReplayConfig c = config_of(options, job, backend, profiles, workers);
          c.learning.route = algorithm;
          set_scheduler(c.learning.options.gradients, scheduler);
          set_compressor(c.learning.options.gradients, compressor);
          all.push_back(std::move(c));
        }
  return all;
}

void check_tuning(const ReplayOptions& options, std::size_t networks, bool is_virtual) {
  if (options.chosen_workers().size() > 1 || networks > 1)
    fail(Blame::usage, "--tune is for one number of workers on one network: give one of each");
  if (!is_virtual && options.networks.empty())
    fail(Blame::usage,
         "--tune searches in simulation: give the network with --network, such as the machine file "
         "that `arlab calibrate -o machine.toml` writes");
  check_writable(options.tune);
}

// The first setting is what runs without --tune; then come the best ones of the search.
std::vector<ExchangeSetting> to_confirm(const ReplayOptions& options, const SettingsSearch& search,
                                        std::string_view usual_algorithm) {
  constexpr std::size_t kConfirmed = 3;
  const std::string& algorithm = options.algorithms.front();
  std::vector<ExchangeSetting> all{{algorithm.empty() ? std::string(usual_algorithm) : algorithm,
                                    options.schedulers.front(), options.compressors.front()}};
  for (const ExchangeSetting& s : search.settings)
    if (same_setting(s, all.front())) all.front().simulated = s.simulated;
  for (const ExchangeSetting& s : search.settings)
    if (all.size() <= kConfirmed && !same_setting(s, all.front())) all.push_back(s);
  return all;
}

// Replays one configuration. Only the root has a result.
std::optional<ReplayResult> replayed(const ReplayOptions& options, const ReplayConfig& config,
                                     Job& job, const Backend& backend) {
  std::optional<ReplayResult> result;
  job.on_first(config.ranks, [&] {
    job.run(backend, {.ranks = config.ranks, .patience = options.patience},
            [&](collectives::Executor& executor) {
              ReplayResult mine = replay(executor, config);
              if (executor.control().rank() == 0) result = std::move(mine);
            });
  });
  return result;
}

int tune(const ReplayOptions& options, Job& job, const Backend& backend, Profiles& profiles,
         const std::vector<ScaleNetwork>& networks) {
  const bool is_virtual = backend.placement == Placement::emulated;
  if (job.is_root()) check_tuning(options, networks.size(), is_virtual);
  ReplayConfig config =
      config_of(options, job, backend, profiles, options.chosen_workers().front());
  SearchSpace space{.algorithms = {}, .schedulers = {}, .compressors = options.compressors};
  if (options.given("--algorithm")) space.algorithms = options.algorithms;
  if (options.given("--scheduler")) space.schedulers = options.schedulers;
  const SettingsSearch search = search_settings(options, space, config.learning, config.workers);
  if (is_virtual) config.network = networks.front().text();
  std::vector<ConfirmedSetting> confirmed;
  for (const ExchangeSetting& setting :
       to_confirm(options, search, training::find_strategy(config.learning.strategy).route)) {
    config.learning.route = setting.algorithm;
    set_scheduler(config.learning.options.gradients, setting.scheduler);
    set_compressor(config.learning.options.gradients, setting.compressor);
    if (auto result = replayed(options, config, job, backend))
      confirmed.push_back({setting, std::move(*result)});
  }
  if (!job.is_root()) return 0;
  const std::size_t chosen = choose_setting(confirmed);
  write_file(options.tune, settings_text(confirmed, chosen));
  if (options.json != "-" && options.tune != "-") {
    print("{}\n{} simulated", Lines{tuning_table(confirmed)},
          show_plural(static_cast<Count>(search.settings.size()), "setting"));
    if (search.left_out > 0) print(", {} left out ({})", search.left_out, search.reason);
    print("; the best {} and the usual one were replayed.\n", confirmed.size() - 1);
    say_written(options.tune);
  }
  std::vector<ReplayResult> results;
  for (ConfirmedSetting& c : confirmed) results.push_back(std::move(c.result));
  write_records(options.json, options.command, results);
  return 0;
}

int run(const ReplayOptions& options, Job& job) {
  const std::vector<ScaleNetwork> networks = options.parsed_networks();
  const Backend emulated = emulated_on(networks.front());
  const Backend& backend =
      options.backend == emulated.name ? emulated : job.backend(options.backend);
  const bool is_virtual = backend.placement == Placement::emulated;
  options.check_compute();
  options.check_replay(job.placement(backend));
  if (job.is_root()) check_can_write(options.json);
  Profiles profiles;
  if (options.tunes()) return tune(options, job, backend, profiles, networks);
  const std::vector<ReplayConfig> configs = configs_of(options, job, backend, profiles);
  std::vector<Rank> workers;
  for (const ReplayConfig& config : configs) workers.push_back(config.workers);
  if (const std::string note = note_on_batch(options.batch, workers);
      job.is_root() && !note.empty())
    say("note: {}\n", note);
  std::vector<ReplayResult> results;
  for (std::size_t n = 0; n < (is_virtual ? networks.size() : 1); ++n)
    for (ReplayConfig config : configs) {
      if (is_virtual) config.network = networks[n].text();
      const Backend chosen = is_virtual ? emulated_on(networks[n]) : backend;
      if (auto result = replayed(options, config, job, chosen))
        results.push_back(std::move(*result));
    }
  if (!job.is_root()) return 0;
  if (options.json != "-")
    print("{}\n{}", Lines{replay_table(results)}, Lines{explain_replay(results.back())});
  write_records(options.json, options.command, results);
  return 0;
}

}  // namespace

void add_replay(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab replay -m profile:resnet50 -b threads -w 2\n"
      "  mpirun -n 16 arlab replay -m profile:bert-large -b mpi -a ring --scheduler fifo buckets\n"
      "  arlab replay -m profile:resnet50 -b virtual -w 8 --network 10G,100G\n"
      "  arlab replay -m profile:resnet50 -b virtual -w 8 --network 25G --tune settings.txt\n"
      "  arlab replay -m profile:resnet50 -b virtual -w 8 --network 25G --settings settings.txt");
  const auto options = std::make_shared<ReplayOptions>();
  options->add(command);
  command.callback([options, &session] {
    options->command = session.command;
    options->complete();
    if (session.progress) session.progress->stop();
    session.exit_code = in_job([&](Job& job) { return run(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
