// Options of train: model, data, strategy, how it learns, and what is kept of it.
#pragma once

#include <string>
#include <vector>

#include "bench/train/emulation_options.hpp"
#include "training/checkpoint/folder.hpp"
#include "training/data/pipeline.hpp"
#include "training/models/architecture.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct TrainOptions {
  std::vector<std::string> models, workers;  ///< as given; empty: mlp, and 2 workers
  std::vector<std::string> schedulers{"buckets"}, compressors{"none"};
  std::vector<std::string> algorithms = {""};  ///< as given; empty: what suits the strategy
  std::string strategy, backend;               ///< empty: what suits the backend
  std::string data = "synthetic", sharding = "data";
  std::string optimizer = "momentum", rate_scaling = "none", rate_decay = "constant";
  std::string device = "cpu";
  Count samples = 8000, validation_samples = 2000, batch = 64;
  std::uint64_t seed = 1;
  int prefetch = 2, threads = 1;
  bool sync_batch_norm = false, no_overlap = false, augment = false;
  training::TrainerOptions learning;
  VirtualRun world;
  double target = 0;  ///< validation accuracy to reach; 0: what dense training reaches

  std::string checkpoint;
  training::SavePolicy policy;
  std::string json, tensorboard, trace;
  std::vector<std::string> command;  ///< the whole command line

  void add(CLI::App& app);
  std::vector<const training::Architecture*> chosen_models() const;
  std::vector<Rank> chosen_workers() const;
};

struct Datasets {
  training::Dataset train, validation;
};

/// For images of that shape. Throws Error(usage) where the data do not fit the model, and where
/// there are none of that name; Error(environment) where files are missing.
Datasets datasets_of(const TrainOptions& options, const training::Architecture& architecture);

/// Throws Error(usage) that names the bad value.
training::TrainerOptions learning_of(const TrainOptions& options, std::string_view backend,
                                     Rank workers);

}  // namespace arlab::bench
