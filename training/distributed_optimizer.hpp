// DistributedOptimizer: data-parallel training for your own model and training loop, similar to
// Horovod: wrap the optimizer, start from rank 0's weights, and let only rank 0 write files.
//
//   arlab::training::TorchParameters parameters(net);       // or Parameters of your own
//   arlab::training::DistributedOptimizer optimizer(communicator, parameters, {});
//   for (const Batch& batch : batches) {                    // of this worker
//     optimizer.start_step();                               // gradients are 0
//     const auto loss = loss_sum(net, batch) / optimizer.global(batch.size);
//     loss.backward();                                      // gradients are exchanged meanwhile
//     optimizer.step(learning_rate);                        // all ranks have equal weights
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
  /// Copies rank 0's weights to all ranks. Every rank makes one. Communicator and parameters must
  /// outlive it. Throws Error(usage) if ranks have different parameters or options.
  DistributedOptimizer(collectives::Communicator& communicator, Parameters& parameters,
                       const DistributedOptions& options);
  ~DistributedOptimizer();

  void start_step();
  /// Sums the gradients over all ranks and updates the weights. Throws Error(check) if a gradient
  /// is not finite; then the weights stay unchanged.
  void step(double learning_rate);

  Rank rank() const { return communicator_.rank(); }
  Rank ranks() const { return communicator_.ranks(); }
  /// Returns the divisor of a loss if every rank has the given number of samples in this step.
  Count global(Count samples) const { return samples * ranks(); }
  /// Returns the sum over all ranks, such as of correct answers. Every rank calls it.
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
