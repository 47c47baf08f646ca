// Placement: which server keeps which variable.
#pragma once

#include <span>
#include <vector>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// Each variable on one server, by index from 0: the largest first, each to the server with the
/// fewest elements so far, so that traffic is spread evenly.
std::vector<Rank> place(std::span<const Variable> variables, Rank servers);

}  // namespace arlab::training
