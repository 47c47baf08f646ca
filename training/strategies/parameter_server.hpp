// Parameter servers: ranks that keep the variables, each variable on one of them, and the optimizer
// with it. Workers push gradients and pull weights.
//
// Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014.
// Synchronous: a server adds up the gradients of all workers, by rank, and updates once.
// Asynchronous: it updates at each gradient that comes, and answers with what the weights are then.
#pragma once

#include <memory>
#include <string>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

std::unique_ptr<Strategy> make_parameter_server(const StrategyContext& context, bool synchronous);

/// Why not; empty if it can.
std::string refuse_parameter_server(const StrategyContext& context);

}  // namespace arlab::training
