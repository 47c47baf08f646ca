// Expands host lists and counts as Slurm writes them: n[006,011],m5,o[3-4] and 2(x3),1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Returns the hosts of a list, in its order. A range keeps the leading zeros of its first number
/// (n[08-10]: n08, n09, n10). Several brackets in a name give all combinations, the last one varying
/// fastest. Throws Error(usage) naming `what` (such as SLURM_STEP_NODELIST) and the invalid part.
std::vector<std::string> expand_hosts(std::string_view list, const std::string& what);

/// Expands Slurm's run lengths: 2(x3),1 gives 2, 2, 2, 1. Throws Error(usage) naming `what`.
std::vector<Rank> expand_counts(std::string_view list, const std::string& what);

}  // namespace arlab::training
