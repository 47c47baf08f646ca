// SyncBatchNorm: batch normalization with statistics over all workers' batches, so that n workers
// train like one worker with the whole batch.
//
// The forward and the backward pass each exchange sums. The variance is summed around the common mean
// in a second exchange, because E[x^2] - E[x]^2 cancels in float32. Ioffe & Szegedy, ICML 2015.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include "training/models/architecture.hpp"

namespace arlab::training {

class SyncBatchNormImpl : public torch::nn::Module {
 public:
  /// For tensors of samples x channels x height x width. Uses PyTorch's defaults: epsilon 1e-5,
  /// momentum 0.1.
  SyncBatchNormImpl(Count channels, SumOverWorkers sum);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  SumOverWorkers sum_;
  torch::Tensor weight_, bias_, running_mean_, running_var_;
};
TORCH_MODULE(SyncBatchNorm);

/// Appends a SyncBatchNorm, or batch normalization per worker if `setup` has no sum_over_workers.
void push_batch_norm(torch::nn::Sequential& net, Count channels, const ReplicaSetup& setup);

}  // namespace arlab::training
