// TorchReplica: a LibTorch image classifier as a Replica.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <functional>
#include <memory>

#include "training/models/architecture.hpp"

namespace arlab::training {

/// The module maps samples x channels x height x width to samples x classes. Calls `build` with
/// LibTorch's random numbers seeded.
std::unique_ptr<Replica> make_torch_replica(const Architecture& architecture,
                                            const ReplicaSetup& setup,
                                            const std::function<torch::nn::Sequential()>& build);

}  // namespace arlab::training
