// count: counts the messages, elements and rounds of an algorithm by running every program once.
//
// Messages without elements (fewer elements than ranks) are not sent and do not count, as in
// simulation and execution.
#pragma once

#include <vector>

#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

struct Counts {
  Cost all;                ///< rounds: the longest chain of rounds over all lanes
  std::vector<Cost> rank;  ///< rounds: the rank's own, in its longest lane
};

/// Counts all lanes of the problem. Throws Error(check) with the fault if the programs do not
/// match.
Counts count(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab
