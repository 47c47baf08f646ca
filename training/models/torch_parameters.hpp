// TorchParameters: the trained parameters of a LibTorch module as Parameters, for your own models.
//
// Weights and gradients become views into two flat tensors, on the host or in a device's memory. A
// module on a GPU without device vectors has its own copies. on_ready() hooks the gradient's
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
  /// `math`: of the device that the module is on, where weights and gradients then lie; null: on
  /// the host.
  explicit TorchParameters(torch::nn::Module& module,
                           std::shared_ptr<const DeviceMath> math = nullptr);
  ~TorchParameters() override;

  void fetch() override;
  /// Copies weights() and statistics(), which strategies change, to the module. Weights on the host
  /// need no copy, because the module uses them directly.
  void give() override;
  /// Copies one variable's weights, if the module has its own copies.
  void give(std::size_t variable);
  void give_statistics();
  /// Copies the statistics from the module.
  void take_statistics();

 private:
  torch::Tensor part(const torch::Tensor& flat, std::size_t variable) const;
  void complete(std::size_t variable);
  void share(const torch::Tensor& weights, const torch::Tensor& gradients);
  /// Whether the module uses the flat tensors.
  bool shares() const { return vectors_ || parameters_.front().is_cpu(); }
  template <class Use>
  void for_statistics(Use use);

  std::vector<torch::Tensor> parameters_, buffers_;
  std::shared_ptr<DeviceVectors> vectors_;
  torch::Tensor weights_, gradients_, statistics_;  // on the host
  torch::Tensor weights_there_;                     // on the device, as its vectors
  struct Hook {
    std::shared_ptr<torch::autograd::Node> node;
    std::uintptr_t key;
  };
  std::vector<Hook> hooks_;
};

}  // namespace arlab::training
