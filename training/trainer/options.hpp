// Learning: what a training run is told, apart from the model and the data.
#pragma once

#include <string>
#include <vector>

#include "training/control/same_on_all_ranks.hpp"
#include "training/replica/learning_rate.hpp"
#include "training/replica/optimizer.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

struct TrainerOptions {
  std::string strategy = "mirrored";
  std::string route;  ///< an algorithm, "native" or "auto"; empty: the strategy's own
  int segments = 1;
  RouteOptions route_options;
  bool overlap = true;
  StrategyOptions options;
  OptimizerOptions optimizer;
  double speed = 0;  ///< where time is virtual: multiply-adds a second of a worker; 0: at once
  LearningRate rate{.base = 0.1};
  Count epochs = 1;
  Count max_steps = 0;     ///< of the whole run; 0: all
  int micro_batches = 1;    ///< a worker's batch is computed in so many parts, one after the other
  Count check_every = 100;  ///< steps between two comparisons of the replicas; 0: at epochs' ends
};

/// What all ranks must have in common of it; the algorithm is as yet a word.
std::vector<RunParameter> make_run_parameters(const TrainerOptions& learning);

}  // namespace arlab::training
