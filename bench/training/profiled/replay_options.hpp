// The options of `replay`: training from a profile on a backend that communicates for real.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_network.hpp"
#include "bench/training/strategy_choice.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/patience.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct ReplayOptions {
  std::string model = "profile:resnet50", backend;
  StrategyChoice strategy;
  std::vector<std::string> workers;  ///< as given; empty: 2, or the job's
  std::vector<std::string> algorithms{""}, schedulers{"buckets"}, compressors{"none"}, networks;
  std::string latency = "20us";
  std::string tune, codec_cost;  ///< tune: the file of settings to write
  std::vector<double> slowdown;
  Count batch = 0, local_batch = 0;  ///< samples per step: of all workers, per worker; 0: not given
  int steps = 20;
  training::TrainerOptions learning;
  bool no_overlap = false;
  std::string json;
  collectives::Patience patience;
  std::vector<std::string> command;  ///< the whole command line

  void add(CLI::App& app);
  /// As ScaleOptions has them. Throws Error(usage) that names the bad value.
  training::ModelProfile profile(Rank workers) const;
  std::vector<double> slowdown_by_rank() const;
  std::vector<Rank> chosen_workers() const;
  /// Returns those that were given.
  std::vector<Rank> asked_workers() const {
    return workers.empty() ? std::vector<Rank>() : chosen_workers();
  }
  std::vector<ScaleNetwork> parsed_networks() const;
  bool tunes() const { return !tune.empty(); }
  /// Of the search, and of replays on emulated ranks.
  std::string search_codec_cost() const {
    return codec_cost.empty() ? (tunes() ? "1,1" : "0,0") : codec_cost;
  }
  void check_values() const;
  /// Throws Error(usage) for an option of `app` that changes nothing.
  void check_effects(const CLI::App& app, collectives::Placement placement) const;
};

}  // namespace arlab::bench
