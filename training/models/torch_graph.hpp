// The graph of a LibTorch model, as its automatic differentiation records it.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include "training/replica/model_graph.hpp"

namespace arlab::training {

/// Runs a forward pass of `input`, in the mode in which the modules are. Scopes are the modules,
/// such as "4_Bottleneck/main/0_Conv2d"; an operation without parameters is in the scope of its
/// stage.
ModelGraph graph_of(torch::nn::SequentialImpl& net, torch::Tensor input);

}  // namespace arlab::training
