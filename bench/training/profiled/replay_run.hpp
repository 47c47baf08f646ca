// One replayed training run: its settings, the work of each rank, and what rank 0 has measured.
#pragma once

#include <string>
#include <vector>

#include "collectives/executor.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/trainer/options.hpp"

namespace arlab::bench {

struct ReplayConfig {
  const training::ModelProfile* profile = nullptr;
  training::TrainerOptions learning;
  std::string backend, network;  ///< network: of emulated ranks
  Rank workers = 1, ranks = 1;
  double alone = 0;                   ///< seconds: ScaleOptions::alone()
  std::vector<double> slowdown = {};  ///< by worker; 1 for those beyond
  int steps = 20;
};

/// All times in seconds per step, over the second half of the steps; of a strategy that
/// communicates every few steps, over the last whole intervals.
struct ReplayResult {
  ReplayConfig config = {};
  std::string route = {};
  double step = 0;     ///< of rank 0
  double rate = 0;     ///< steps per second of all workers
  double compute = 0;  ///< the profile's passes of the slowest worker that rank 0 waits for
  double exposed = 0;  ///< waiting for communication, not for slower passes
  double communication = 0, codec = 0;
  double bytes = 0;                  ///< sent per step, mean over the ranks and these steps
  std::vector<double> step_us = {};  ///< of all steps

  double efficiency() const { return config.alone * rate / config.workers; }
  double samples_per_second() const;
};

/// Every rank of the run calls it with its executor. Only rank 0's result is filled.
ReplayResult replay(collectives::Executor& executor, const ReplayConfig& config);

}  // namespace arlab::bench
