// Placement: assigns variables to servers.
#pragma once

#include <span>
#include <vector>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// Returns the server of each variable, counted from 0. Places the largest variables first, each on
/// the server with the fewest elements, so that traffic is balanced.
std::vector<Rank> place(std::span<const Variable> variables, Rank servers);

}  // namespace arlab::training
