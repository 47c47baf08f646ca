// SyncBatchNorm: batch normalisation whose statistics are those of all workers' batches together,
// so that n workers train as one with the whole batch does.
//
// The sums travel in the forward pass, before differentiation, and once more in the backward pass.
// Ioffe & Szegedy, ICML 2015; the variance is summed around the mean that all workers share, in a
// second exchange, since E[x^2] - E[x]^2 cancels in float32.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include "training/models/architecture.hpp"

namespace arlab::training {

class SyncBatchNormImpl : public torch::nn::Module {
 public:
  /// For samples x channels x height x width. PyTorch's defaults: epsilon 1e-5, momentum 0.1.
  SyncBatchNormImpl(Count channels, SumOverWorkers sum);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  SumOverWorkers sum_;
  torch::Tensor weight_, bias_, running_mean_, running_var_;
};
TORCH_MODULE(SyncBatchNorm);

/// A SyncBatchNorm, or each worker's own normalisation where `setup` has no sum_over_workers.
void push_batch_norm(torch::nn::Sequential& net, Count channels, const ReplicaSetup& setup);

}  // namespace arlab::training
