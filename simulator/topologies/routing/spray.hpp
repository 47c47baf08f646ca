// Spray: a message goes over all shortest routes at once, in equal parts at each switch.
//
// Switches that spray packets (adaptive routing, packet spraying of Ultra Ethernet) use all ways
// that are as short. A message is cut into as many parts as make all splits whole, so a link
// carries a whole number of parts.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/topologies/routing/routing.hpp"

namespace arlab::simulator {

/// Returns the least number of parts of a message with which each of these hosts can split messages
/// to the others equally at each node. Throws Error(usage) if they are more than 1,024.
std::int32_t parts_to_spray(const Topology& topology, Router& router, std::span<const Rank> hosts);

/// Returns the links of a message of `parts` parts, each as often as parts cross it.
std::vector<LinkId> sprayed(const Topology& topology, Router& router, Rank source, Rank target,
                            std::int32_t parts);

}  // namespace arlab::simulator
