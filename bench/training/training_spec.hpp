// TrainingSpec: what `train`, `plan` and `replay` share: which training on how many workers, how
// its gradients are exchanged, how long its workers compute, and on which networks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/training/strategy_choice.hpp"
#include "collectives/patience.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

inline constexpr Rank kMostSimulatedWorkers = 16'384;

enum class TrainingKind { trained, planned, replayed };

struct TrainingSpec {
  std::vector<std::string> workers;     ///< as given
  std::vector<std::string> algorithms;  ///< as given; empty text: by strategy
  std::vector<std::string> schedulers{"buckets"}, compressors{"none"};
  std::vector<std::string> networks;  ///< as given; empty: 10G
  StrategyChoice strategy = {};
  Count batch = 0, local_batch = 0;  ///< samples per step: of all workers, per worker; 0: not given

  // --exchange
  Rank group = 0;  ///< ranks per node; 0: not given
  int segments = 1;
  bool overlap = true;  ///< of the exchange and the backward pass
  std::string aggregation = "auto";
  Count check_every = 100;

  // --compute
  std::vector<std::string> gpus;  ///< of the catalog; empty: the profile's
  std::string precision;          ///< empty: the profile's, or the GPU's usual one
  std::vector<double> price, watts;  ///< of a GPU per hour in US dollars; one for all, or by gpu
  std::vector<double> slowdown;   ///< one for all, or by rank
  double jitter = 0;
  std::string speed = "1T";  ///< multiply-adds per second
  std::string codec_cost;    ///< nanoseconds to encode and to decode an element; empty: counted
  Count micro_batches = 1;
  bool sync_batch_norm = false;
  std::uint64_t seed = 1;  ///< of random numbers

  std::string json, tune;            ///< files to write; empty: none
  collectives::Patience patience;    ///< of the ranks
  std::vector<std::string> command;  ///< the whole command line

  /// Adds the options. `app` must outlive this.
  void add_shared(CLI::App& app, TrainingKind kind);
  /// Returns whether the command line has an option, "--batch", or a setting, "--compute codec".
  bool given(std::string_view what) const;
  bool tunes() const { return !tune.empty(); }
  /// Throws Error(usage) if what is given has no effect.
  void needs(std::string_view what, bool has_effect, std::string_view needed) const;
  /// Throws Error(usage) that names the bad value.
  std::vector<Rank> parsed_workers(const std::vector<std::string>& usual, Rank most) const;
  /// Splits lists of specs, and drops repeats. Throws Error(usage) if a batch is given twice.
  void complete();
  /// Throws Error(usage) for a slowdown or jitter that is none.
  void check_compute() const;
  /// Returns the factors of so many workers, 1 for those beyond; empty: all are 1.
  std::vector<double> slowdown_by_rank(Rank all_workers) const;

 private:
  void add_exchange(CLI::App& app, TrainingKind kind);
  void add_compute(CLI::App& app, TrainingKind kind);
  const CLI::App* app_ = nullptr;
  std::string worker_name_ = "--workers";
  std::set<std::string, std::less<>> set_;  // settings that are given
};

}  // namespace arlab::bench
