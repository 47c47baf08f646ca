// The options of simulated training.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/training/profiled/scale_network.hpp"
#include "bench/training/strategy_choice.hpp"
#include "training/exchange/gradient_options.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

inline constexpr Rank kMostSimulatedWorkers = 16'384;

struct ScaleOptions {
  std::string model = "profile:resnet50";
  std::vector<std::string> networks;  ///< as given; empty: 10G
  StrategyChoice strategy = {.spec = "multi_worker"};
  std::string latency = "20us";
  std::string codec_cost = "0.01,0.01";
  std::vector<double> slowdown;
  double jitter = 0;
  Rank group = 0;
  int segments = 1, steps = 12;
  Count batch = 0, local_batch = 0;  ///< samples per step: of all workers, per worker; 0: not given
  std::uint64_t seed = 1;
  std::string json;
  std::vector<std::string> command;  ///< the whole command line

  void add(CLI::App& command);
  /// Sets what real training has, too: the strategy, its parameters, and groups and segments.
  void set_strategy(const training::TrainerOptions& learning);
  /// Returns the profile of --model, with the batch of each worker, and the compute time of GPUs
  /// that are all slower by one factor. Throws Error(usage) that names the bad value.
  training::ModelProfile profile() const;
  /// Returns that profile with this worker's part of --batch; unchanged without one. Throws
  /// Error(usage) if the parts are not equal.
  training::ModelProfile on_each(const training::ModelProfile& profile, Rank workers) const;
  /// Returns the factors that differ by rank; empty: none do.
  std::vector<double> slowdown_by_rank() const;
  std::vector<ScaleNetwork> parsed_networks() const;

  /// Throws Error(usage) for an option of `command` that changes nothing.
  void check_effects(const CLI::App& command, const std::vector<std::string>& algorithms,
                     const std::vector<std::string>& compressors) const;

  /// Returns a plan of this many workers, and of the strategy's servers, without network. Throws
  /// Error(usage) that names the bad value.
  training::TrainingPlan plan(const training::ModelProfile& profile, const std::string& scheduler,
                              const std::string& compressor, Rank workers) const;

  /// Returns networks of the plan's ranks, and sets its groups, its grid, and the time of the
  /// optimizer, which updates a shard if the strategy is sharded. `network` must outlive them.
  training::MakeNetwork place(training::TrainingPlan& plan, const training::ModelProfile& profile,
                              const ScaleNetwork& network) const;
};

inline constexpr const char* kSlowdownHelp =
    "Factors on the compute time: 2.5 for all, or one per rank, such as 1,1,2.5 (default 1)";

/// Adds --batch, of all workers, and --local-batch, of each, of training from a profile.
void add_batch(CLI::App& app, Count& batch, Count& local);

/// Adds --scheduler and --compressor.
void add_exchange(CLI::App& app, std::vector<std::string>& schedulers,
                  std::vector<std::string>& compressors);

/// Adds --network; `more` is said at the end of its help.
void add_networks(CLI::App& app, std::vector<std::string>& networks, const std::string& more = "");

/// Returns what --batch means on these numbers of workers, since it was per worker once; empty if
/// it was not given, or there is one worker.
std::string note_on_batch(Count batch, std::span<const Rank> workers);

/// Returns the algorithm of a word; any for a strategy that uses none; of "auto", the fastest for a
/// bucket of gradients of those that support the plan's collectives.
const Algorithm& choose_algorithm(const std::string& word, const training::TrainingPlan& plan,
                                  const training::MakeNetwork& network);

}  // namespace arlab::bench
