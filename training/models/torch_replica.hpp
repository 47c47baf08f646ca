// TorchReplica: a LibTorch module as a Replica.
//
// Weights and gradients are views into two flat tensors. A gradient is complete when its
// accumulator node has run, so that is where ready() hangs: a hook on the tensor runs before the
// gradient is stored, and changing it there lets replicas drift apart.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <memory>
#include <vector>

#include "training/models/architecture.hpp"

namespace arlab {

/// The module takes samples x channels x height x width and gives samples x classes.
/// `build` is called with the framework's random numbers seeded.
std::unique_ptr<Replica> make_torch_replica(const Architecture& architecture,
                                            const ReplicaSetup& setup,
                                            const std::function<torch::nn::Sequential()>& build);

}  // namespace arlab
