// TorchParameters: the trained parameters of a LibTorch module as Parameters, for your own models.
//
// Weights and gradients become views into two flat tensors. on_ready() hooks the gradient's
// accumulator node, because a gradient is complete after that node has run. A hook on the tensor
// runs before the gradient is stored; changing it there would let replicas drift apart.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// The module must outlive this object and keep its parameters: no later to() or
/// set_requires_grad().
class TorchParameters final : public Parameters {
 public:
  explicit TorchParameters(torch::nn::Module& module);
  ~TorchParameters() override;
  TorchParameters(const TorchParameters&) = delete;
  TorchParameters& operator=(const TorchParameters&) = delete;

  std::span<const Variable> variables() const override { return variables_; }
  std::span<float> weights() override;
  std::span<float> gradients() override;
  std::span<float> statistics() override;
  void on_ready(Ready ready) override { ready_ = std::move(ready); }

  /// Copies weights() and statistics(), which strategies change, to the module: all, or one
  /// variable's. Weights on the host need no copy, because the module uses them directly.
  void give();
  void give(std::size_t variable);
  void give_statistics();
  /// Sets a variable's multiply-adds in the forward pass of a sample.
  void set_work(std::size_t variable, Count work) { variables_[variable].work = work; }
  void set_stage(std::size_t variable, Count stage) { variables_[variable].stage = stage; }
  /// Copies the statistics from the module.
  void take_statistics();

 private:
  torch::Tensor part(const torch::Tensor& flat, std::size_t variable) const;
  void complete(std::size_t variable);
  bool on_host() const { return parameters_.front().is_cpu(); }
  template <class Use>
  void for_statistics(Use use);

  std::vector<Variable> variables_;
  std::vector<torch::Tensor> parameters_, buffers_;
  torch::Tensor weights_, gradients_, statistics_;
  struct Hook {
    std::shared_ptr<torch::autograd::Node> node;
    std::uintptr_t key;
  };
  std::vector<Hook> hooks_;
  Ready ready_;
};

}  // namespace arlab::training
