// Where the gradients of replicas on GPUs travel from: the GPUs' memory, or the host's.
#pragma once

#include <string>

#include "training/trainer/options.hpp"

namespace arlab::training {

/// Returns why this run's gradients lie on the host although its replicas compute on GPUs, such as
/// "strategy zero1 works there"; empty if they can lie in the memory of the route's device.
std::string why_on_host(const TrainerOptions& learning);

}  // namespace arlab::training
