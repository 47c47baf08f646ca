// The options of train: model, data, strategy, learning rate, and files to write.
#pragma once

#include <string>
#include <vector>

#include "bench/training/train/options/emulation_options.hpp"
#include "bench/training/train/options/feed_options.hpp"
#include "bench/training/train/options/learning_options.hpp"
#include "bench/training/training_spec.hpp"
#include "training/checkpoint/folder.hpp"
#include "training/models/architecture.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct TrainOptions : TrainingSpec {
  std::vector<std::string> models;  ///< as given; empty: mlp
  std::string backend;              ///< empty: the usual one
  std::string data = "synthetic";
  std::string device = "cpu";
  Count samples = 8000, validation_samples = 2000;
  bool sets_samples = false;
  Count warmup_steps = 10;  ///< that rates leave out
  bool sets_warmup = false;
  int threads = 1;
  training::TrainerOptions learning;
  LearningOptions rates;
  FeedOptions feed;
  double target = 0;  ///< validation accuracy to reach; 0: that of dense training

  std::string checkpoint;  ///< folder
  training::SavePolicy policy;
  bool sets_policy = false;
  std::string csv, tensorboard, trace, record_profile;
  bool dry_run = false;

  TrainOptions();
  /// `app` must outlive this.
  void add(CLI::App& app);
  std::vector<const training::Architecture*> chosen_models() const;
  std::vector<Rank> chosen_workers() const { return parsed_workers({"2"}, 1024); }
  /// Returns those that were given.
  std::vector<Rank> asked_workers() const {
    return workers.empty() ? std::vector<Rank>() : chosen_workers();
  }
  /// Samples per step, over so many workers.
  Count batch_of(Rank count) const { return local_batch > 0 ? local_batch * count : batch; }
  /// Returns the networks and workers of virtual ranks.
  VirtualRun world() const { return {networks, slowdown, jitter, speed, codec_cost}; }

 private:
  void add_data(CLI::App& app);
  void add_lengths(CLI::App& app);
  void add_checkpoint(CLI::App& app);
  void add_outputs(CLI::App& app);
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
