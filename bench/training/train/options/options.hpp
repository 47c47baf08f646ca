// The options of train: model, data, strategy, learning rate, and files to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/training/strategy_choice.hpp"
#include "bench/training/train/options/emulation_options.hpp"
#include "bench/training/train/options/feed_options.hpp"
#include "bench/training/train/options/learning_options.hpp"
#include "collectives/patience.hpp"
#include "training/checkpoint/folder.hpp"
#include "training/models/architecture.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct TrainOptions {
  std::vector<std::string> models, workers;  ///< as given; empty: mlp, and 2 workers
  std::vector<std::string> schedulers{"buckets"}, compressors{"none"};
  std::vector<std::string> algorithms = {""};  ///< as given; empty: by strategy
  StrategyChoice strategy;
  std::string backend;  ///< empty: the usual one
  std::string data = "synthetic";
  std::string device = "cpu";
  Count samples = 8000, validation_samples = 2000;
  Count batch = 64;         ///< samples per step, over all workers; see batch_of()
  Count local_batch = 0;    ///< of each worker; 0: `batch` is divided
  Count warmup_steps = 10;  ///< that rates leave out
  std::uint64_t seed = 1;
  int threads = 1;
  bool sync_batch_norm = false, no_overlap = false, augment = false;
  training::TrainerOptions learning;
  LearningOptions rates;
  FeedOptions feed;
  VirtualRun world;
  double target = 0;  ///< validation accuracy to reach; 0: that of dense training

  std::string checkpoint;
  training::SavePolicy policy;
  std::string json, csv, tensorboard, trace, record_profile;
  std::string tune;  ///< the file of settings to write
  bool dry_run = false;
  collectives::Patience patience;    ///< of the ranks
  std::vector<std::string> command;  ///< the whole command line

  /// `app` must outlive this.
  void add(CLI::App& app);
  /// Returns whether the command line has the option of that name.
  bool given(std::string_view option) const;
  std::vector<const training::Architecture*> chosen_models() const;
  std::vector<Rank> chosen_workers() const;
  /// Returns those that were given.
  std::vector<Rank> asked_workers() const {
    return workers.empty() ? std::vector<Rank>() : chosen_workers();
  }
  bool tunes() const { return !tune.empty(); }
  /// Samples per step, over so many workers.
  Count batch_of(Rank count) const { return local_batch > 0 ? local_batch * count : batch; }

 private:
  const CLI::App* app_ = nullptr;
};

struct Datasets {
  training::Dataset train, validation;
};

/// Returns the data for this architecture. Throws Error(usage) if the data are unknown or do not
/// fit the model, and Error(environment) if files are missing.
Datasets datasets_of(const TrainOptions& options, const training::Architecture& architecture);

/// Throws Error(usage) that names the bad value.
training::TrainerOptions learning_of(const TrainOptions& options, collectives::Placement placement,
                                     Rank workers);

}  // namespace arlab::bench
