// One measured training run: the work of each rank, and the result of rank 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/statistics.hpp"
#include "bench/text/progress.hpp"
#include "bench/training/profiled/time_to_accuracy.hpp"
#include "bench/training/train/options/options.hpp"
#include "collectives/backends/backend.hpp"
#include "training/trainer/trainer.hpp"

namespace arlab::bench {

struct TrainConfig {
  const training::Architecture* architecture = nullptr;
  training::TrainerOptions learning;
  const collectives::Backend* backend = nullptr;
  Rank ranks = 1, workers = 1;
  Count batch = 1;              ///< samples per step, over all workers
  VirtualNetwork network = {};  ///< of emulated ranks
};

/// How --tune trains a setting.
struct TrialRun {
  Goal goal = {};
  Count more = 1;     ///< times the steps that the options allow
  std::string label;  ///< for the progress
};

/// The result, as rank 0 sees it.
struct TrainResult {
  TrainConfig config;
  std::string route;
  Count lanes = 1;
  std::vector<training::EpochReport> epochs;
  std::vector<double> step_us;  ///< without the steps that are left out
  Count steps_run = 0;          ///< by this process
  Count left_out = 0;           ///< of these, by all rates
  Count warmup_asked = 0;       ///< to leave out, if the run were long enough
  training::Staleness staleness;
  training::CodeRoute codes;  ///< if gradients are compressed
  /// Where they are made and sent from, such as "GPU 0, sent from its memory"; empty without GPUs.
  std::string place_of_codes;
  std::string gradients;  ///< where they lie, as GradientPlace::text; empty without GPUs
  int input_threads = 0;  ///< of the worker with most; 0: batches are made when they are needed
  training::MakerThreads input_range;  ///< what they were chosen from
  Count steps_before = 0;              ///< of the checkpoint
  /// Of the validation data, if nothing was left to train.
  std::optional<training::BatchResult> evaluation = {};
  Trial trial = {};  ///< of a trial run; without its setting; every rank has it
};

/// Every rank of the run calls it with its executor. Only rank 0's result is filled.
TrainResult train(collectives::Executor& executor, const TrainConfig& config,
                  const TrainOptions& options, const Datasets& data,
                  const TrialRun* trial = nullptr);

}  // namespace arlab::bench
