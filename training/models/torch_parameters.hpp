// TorchParameters: what a LibTorch module trains, as Parameters: for models and loops of your own.
//
// Weights and gradients become views into two flat tensors. A gradient is complete when its
// accumulator node has run, so that is where on_ready() hangs: a hook on the tensor runs before the
// gradient is stored, and changing it there lets replicas drift apart.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// The module must outlive it, and keep its parameters: no to(), no set_requires_grad() later.
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

  /// Strategies change weights() and statistics(): gives them to the module, all or one variable's.
  /// Weights on the host are the module's own, anyway.
  void give();
  void give(std::size_t variable);
  void give_statistics();
  /// Of a variable: multiply-adds of a sample's forward pass.
  void set_work(std::size_t variable, Count work) { variables_[variable].work = work; }
  /// Takes the statistics from the module.
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
