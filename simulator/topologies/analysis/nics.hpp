// NICs of a node: its links to switches outside, where links or switches within join its hosts.
#pragma once

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

/// Returns the number of links from the hosts of a group, or from switches that only they have, to
/// switches outside: the fewest of all groups. 1 if there are fewer than two groups, or if nothing
/// within them joins the hosts, such as those of a leaf.
Rank nics_of_group(const Topology& topology);

}  // namespace arlab::simulator
