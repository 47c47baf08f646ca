// Packs spanning trees into a network of hosts: k from each root, without excess on any arc.
//
// Edmonds' theorem: if every host can receive k units from each of the n hosts, then n k spanning
// trees, k from each root, fit into the capacities. Trees of one root that are equal so far grow as
// one class of that multiplicity. A class may take an arc x -> y if the others remain possible, by
// one maximum flow; it splits where only part of it can. Berczi & Frank, Packing arborescences,
// RIMS Kokyuroku Bessatsu B23, 2010; Zhao et al., ForestColl, arXiv:2402.06787.
#pragma once

#include <vector>

#include "algorithms/forest.hpp"
#include "simulator/forest/limited_flow.hpp"

namespace arlab::simulator {

/// `capacities`: between the hosts 0 to n-1, which are all nodes; uses them up. Grows every tree in
/// breadth, so that it remains low.
std::vector<WeightedTree> pack_trees(LimitedFlow& capacities, std::int64_t trees_per_root);

}  // namespace arlab::simulator
