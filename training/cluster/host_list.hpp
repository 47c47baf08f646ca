// Lists of hosts as people and Slurm write them: n[006,011],m5,o[3-4], and a:4,b:2 with slots.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// The hosts that a list stands for, in its order. A range keeps the zeros of its first number
/// (n[08-10]: n08, n09, n10); several brackets in a name give all combinations, the last one
/// running fastest. Throws Error(usage) that names `what` (SLURM_STEP_NODELIST, -H) and the part
/// that is wrong.
std::vector<std::string> expand_hosts(std::string_view list, const std::string& what);

/// Slurm's run lengths, 2(x3),1: 2, 2, 2, 1. Throws Error(usage) that names `what`.
std::vector<Rank> expand_counts(std::string_view list, const std::string& what);

}  // namespace arlab::training
