// count: the message-count model, measured: runs every program once and counts what it sends.
//
// Messages without elements (fewer elements than ranks) are dropped, here as in simulation and
// execution.
#pragma once

#include <vector>

#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

struct Counts {
  Cost all;                ///< rounds: the longest chain of rounds over all lanes
  std::vector<Cost> rank;  ///< rounds: the rank's own, those of its longest lane
};

/// Counts all lanes of the problem. Throws Error(check) with the fault if the programs do not fit
/// together.
Counts count(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab
