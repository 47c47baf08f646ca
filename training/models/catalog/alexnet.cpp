// alexnet: five convolutions and three dense layers similar to AlexNet, for images of 32 x 32.
//
// It has no dropout, so that n workers are comparable with one.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "training/models/torch_replica.hpp"

namespace arlab::training::architecture_catalog {
namespace {

torch::nn::Conv2d padded_3x3(Count in, Count out) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1));
}

std::unique_ptr<Replica> make_alexnet(const Architecture& architecture, const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  return make_torch_replica(architecture, setup, [] {
    return nn::Sequential(padded_3x3(3, 64), nn::ReLU(), nn::MaxPool2d(2), padded_3x3(64, 192),
                          nn::ReLU(), nn::MaxPool2d(2), padded_3x3(192, 384), nn::ReLU(),
                          padded_3x3(384, 256), nn::ReLU(), padded_3x3(256, 256), nn::ReLU(),
                          nn::MaxPool2d(2), nn::Flatten(), nn::Linear(4 * 4 * 256, 2048),
                          nn::ReLU(), nn::Linear(2048, 2048), nn::ReLU(), nn::Linear(2048, 10));
  });
}

}  // namespace

Architecture alexnet() {
  return {
      .name = "alexnet",
      .summary = "five convolutions, dense 2048, 2048, 10: many weights for little computation",
      .source = "after Krizhevsky, Sutskever, Hinton, NIPS 2012",
      .channels = 3,
      .height = 32,
      .width = 32,
      .parameters = 14'859'082,
      .make = make_alexnet,
  };
}

}  // namespace arlab::training::architecture_catalog
