// To whom ranks send, for those who compare routes.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

/// By the programs of the ranks, of which a limited number of actions is read. The algorithm must
/// outlive it.
PeersOf peers_in_programs(const Algorithm& algorithm, std::vector<Lane> lanes);

/// Each rank sends to all.
PeersOf all_ranks(Rank ranks);

}  // namespace arlab::simulator
