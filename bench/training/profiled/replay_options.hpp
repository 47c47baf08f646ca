// The options of `replay`: training from a profile on a backend that communicates for real.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_options.hpp"
#include "collectives/backends/backend.hpp"
#include "training/trainer/options.hpp"

namespace arlab::bench {

struct ReplayOptions : ScaleOptions {
  std::string backend;

  ReplayOptions();
  void add(CLI::App& app);
  /// Returns the profile with the batch of each of so many workers.
  training::ModelProfile profile_on(Rank all_workers) const {
    return on_each(profile(), all_workers);
  }
  std::vector<Rank> chosen_workers() const;
  /// Returns those that were given.
  std::vector<Rank> asked_workers() const {
    return workers.empty() ? std::vector<Rank>() : chosen_workers();
  }
  /// Returns how this strategy learns, with its exchange.
  training::TrainerOptions learning_on(collectives::Placement placement) const;
  /// Of the search, and of replays on emulated ranks.
  std::string search_codec_cost() const {
    return codec_cost.empty() ? (tunes() ? "1,1" : "0,0") : codec_cost;
  }
  /// Throws Error(usage) for an option that changes nothing.
  void check_replay(collectives::Placement placement) const;
};

}  // namespace arlab::bench
