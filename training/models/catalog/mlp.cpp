// mlp: one hidden layer of 128, for images of 28 x 28; so small that communication dominates.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/linear.h>

#include "training/models/torch_replica.hpp"

namespace arlab::training::architecture_catalog {
namespace {

std::unique_ptr<Replica> make_mlp(const Architecture& architecture, const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  return make_torch_replica(architecture, setup, [] {
    return nn::Sequential(nn::Flatten(), nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10));
  });
}

}  // namespace

Architecture mlp() {
  return {
      .name = "mlp",
      .summary = "784-128-10, two dense layers",
      .source = "LeCun et al., Proc. IEEE 86(11), 1998 (the data); TensorFlow's first tutorial",
      .height = 28,
      .width = 28,
      .parameters = 101'770,
      .make = make_mlp,
  };
}

}  // namespace arlab::training::architecture_catalog
