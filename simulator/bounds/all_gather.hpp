// The optimum of an all-gather on a network: exact, by maximum flow.
//
// Every host has a shard of 1/n of the vector. Let S be a set of nodes that lacks some host. The
// shards of the hosts in S must leave S to reach that host, so an all-gather of M bytes takes at
// least (M/n) |hosts in S| / B(S), where B(S) is the capacity that leaves S. The largest of these
// ratios is reached: by Edmonds' theorem on disjoint arborescences (Combinatorial Algorithms, 1973)
// each host can send its shard along trees that share the links without excess. Hosts that forward
// shards suffice, so switches need not copy them, if as much capacity leaves each switch as enters
// it. Zhao et al., ForestColl, arXiv:2402.06787.
//
// A reduce-scatter is an all-gather on the reversed network.
#pragma once

#include <span>

#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/bounds/fraction.hpp"

namespace arlab::simulator {

/// The cut with the most hosts behind the least capacity.
struct RatioCut {
  Fraction ratio{};           ///< hosts in `nodes` by the capacity that leaves them: 1/x*
  std::vector<bool> nodes{};  ///< by node; lacks some host
};

/// Returns the largest ratio of all cuts. `representatives`: a host of each class of hosts that are
/// interchangeable (see symmetry.hpp); only cuts that lack one of them are examined. Of equal cuts,
/// the links into one host precede others, and the first representative precedes the next. Needs at
/// least two hosts, each of which every other can reach.
RatioCut tightest_cut(const CapacityGraph& graph, std::span<const NodeId> representatives);

/// Returns the least k for which capacities of floor(k p/q c), for the tightest ratio p/q, still
/// let every host receive k units from each host: then k whole trees per root, with an optimal
/// all-gather along them, fit into the network. At most q.
std::int64_t trees_per_root(const CapacityGraph& graph, const RatioCut& tightest,
                            std::span<const NodeId> representatives);

}  // namespace arlab::simulator
