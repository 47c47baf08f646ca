// Parameter servers: ranks that hold the variables and their optimizer state, each variable on one
// server. Workers push gradients and pull weights.
//
// Synchronous servers add the gradients of all workers, by rank, and update once. Asynchronous
// servers update at each gradient and reply with the current weights. Li et al., Scaling
// Distributed Machine Learning with the Parameter Server, OSDI 2014.
#pragma once

#include <memory>
#include <string>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

inline constexpr Parameter kServers{
    "servers", Parameter::Unit::count, "1", "ranks that are servers, besides the workers", 1, 1e6};

std::unique_ptr<Strategy> make_parameter_server(const StrategyContext& context, bool synchronous);

/// Returns why a parameter server cannot work here; empty if it can.
std::string refuse_parameter_server(const StrategyContext& context);

}  // namespace arlab::training
