// DistributedOptimizer: data-parallel training for a model and a loop of your own, in the manner of
// Horovod: wrap the optimizer, broadcast the weights of rank 0, and let rank 0 alone write.
//
//   arlab::training::TorchParameters parameters(*net);                       // or Parameters of your own
//   arlab::DistributedOptimizer optimizer(communicator, parameters, {});
//   for (each batch of this worker) {
//     optimizer.start_step();                                      // gradients are 0
//     (loss_sum / optimizer.global(batch)).backward();             // buckets travel meanwhile
//     optimizer.step(learning_rate);                               // all weights are equal again
//   }
//
// Sergeev & Del Balso, Horovod, arXiv:1802.05799.
#pragma once

#include <memory>
#include <string>

#include "training/exchange/collective_queue.hpp"
#include "training/replica/optimizer.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

struct DistributedOptions {
  std::string route = "ring";  ///< an algorithm, "native" or "auto"
  bool overlap = true;
  GradientOptions gradients;  ///< compressor and scheduler; step() waits for all gradients
  OptimizerOptions optimizer;
};

class DistributedOptimizer {
 public:
  /// Every rank makes one. The weights of rank 0 become everybody's. Communicator and parameters
  /// outlive it. Throws Error(usage) where ranks have different parameters or options.
  DistributedOptimizer(collectives::Communicator& communicator, Parameters& parameters,
                       const DistributedOptions& options);
  ~DistributedOptimizer();

  void start_step();
  /// Sums the gradients over all ranks and changes the weights. Throws Error(check) if a gradient
  /// is no finite number; the weights are not changed then.
  void step(double learning_rate);

  Rank rank() const { return communicator_.rank(); }
  Rank ranks() const { return communicator_.ranks(); }
  /// What a loss is divided by: all ranks have as many samples in this step.
  Count global(Count samples) const { return samples * ranks(); }
  /// Over all ranks: counts of correct answers, samples, ...
  Count sum(Count value) { return exchange_.communicator().sum(value); }
  const Exchange& exchange() const { return exchange_; }

 private:
  collectives::Communicator& communicator_;
  Parameters& parameters_;
  Exchange exchange_;
  Optimizer optimizer_;
  std::unique_ptr<Strategy> strategy_;
  Count steps_ = 0;
};

}  // namespace arlab::training
