// cnn_pooled: one convolution with pooling and two dense layers, for images of 28 x 28.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "training/models/torch_replica.hpp"

namespace arlab::training::architecture_catalog {
namespace {

std::unique_ptr<Replica> make_cnn_pooled(const Architecture& architecture,
                                         const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  return make_torch_replica(architecture, setup, [] {
    return nn::Sequential(nn::Conv2d(1, 32, 3), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                          nn::Linear(13 * 13 * 32, 64), nn::ReLU(), nn::Linear(64, 10));
  });
}

}  // namespace

Architecture cnn_pooled() {
  return {
      .name = "cnn_pooled",
      .summary = "convolution of 32 3x3 filters, pooling 2x2, dense 64, dense 10",
      .source = "TensorFlow, Distributed training with Keras",
      .height = 28,
      .width = 28,
      .parameters = 347'146,
      .make = make_cnn_pooled,
  };
}

}  // namespace arlab::training::architecture_catalog
