// TrainerOptions: the options of a training run, except the model and the data.
#pragma once

#include <string>
#include <vector>

#include "training/control/same_on_all_ranks.hpp"
#include "training/exchange/compute_model.hpp"
#include "training/replica/learning_rate.hpp"
#include "training/replica/optimizer.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

struct TrainerOptions {
  std::string strategy = "mirrored";
  std::string route = {};  ///< an algorithm, "native" or "auto"; empty: the strategy's default
  int segments = 1;
  RouteOptions route_options = {};
  bool overlap = true;
  StrategyOptions options = {};
  OptimizerOptions optimizer = {};
  double speed = 0;  ///< multiply-adds per second of a worker, for simulated time; 0: infinite
  /// The times of a replica that computes nothing, by variable; they replace `speed`. Empty: it
  /// computes.
  std::vector<PassTime> passes = {};
  LearningRate rate{.base = 0.1};
  Count epochs = 1;
  Count max_steps = 0;      ///< of the whole run; 0: no limit
  int micro_batches = 1;    ///< sequential parts of a worker's batch
  Count check_every = 100;  ///< steps between comparisons of the replicas; 0: once per epoch
  Count report_every = 0;   ///< steps between reports within an epoch; 0: one at its end
};

/// Returns "0.05, scaled none, warm-up 0, steps, 3:0.1, 7:0.01".
std::string to_string(const LearningRate& rate);

/// Returns the number of servers that the strategy has in addition to the workers.
Rank servers_of(const TrainerOptions& learning);

/// Returns the options that all ranks must share. The algorithm is not resolved yet.
std::vector<RunParameter> make_run_parameters(const TrainerOptions& learning);

}  // namespace arlab::training
