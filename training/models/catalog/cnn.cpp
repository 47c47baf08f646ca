// cnn: one convolution and two dense layers without pooling, for images of 28 x 28. Nearly all of its
// 2.8 million parameters lie in one dense layer.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "training/models/torch_replica.hpp"

namespace arlab::training::architecture_catalog {
namespace {

std::unique_ptr<Replica> make_cnn(const Architecture& architecture, const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  return make_torch_replica(architecture, setup, [] {
    return nn::Sequential(nn::Conv2d(1, 32, 3), nn::ReLU(), nn::Flatten(),
                          nn::Linear(26 * 26 * 32, 128), nn::ReLU(), nn::Linear(128, 10));
  });
}

}  // namespace

Architecture cnn() {
  return {
      .name = "cnn",
      .summary = "convolution of 32 3x3 filters, dense 128, dense 10",
      .source = "TensorFlow, Distributed training with Keras",
      .height = 28,
      .width = 28,
      .parameters = 2'770'634,
      .make = make_cnn,
  };
}

}  // namespace arlab::training::architecture_catalog
