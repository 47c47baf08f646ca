// TorchReplica: a LibTorch module that names the class of an image, as a Replica.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <functional>
#include <memory>

#include "training/models/architecture.hpp"

namespace arlab::training {

/// The module takes samples x channels x height x width and gives samples x classes.
/// `build` is called with the framework's random numbers seeded.
std::unique_ptr<Replica> make_torch_replica(const Architecture& architecture,
                                            const ReplicaSetup& setup,
                                            const std::function<torch::nn::Sequential()>& build);

}  // namespace arlab::training
