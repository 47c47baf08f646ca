// Synthesis: the spanning trees along which an all-gather is optimal on a network.
//
// Three steps: scale the capacities so that whole trees use them up, remove the switches
// (split_switches.hpp), and pack trees (pack_trees.hpp). Each rank's shard is sent down its trees,
// k of each root. An allreduce adds up along the same trees first; on a network whose links have
// the same speed in both directions it takes twice the time of an all-gather.
#pragma once

#include <span>

#include "algorithms/forest.hpp"
#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/bounds/fraction.hpp"
#include "simulator/forest/split_switches.hpp"

namespace arlab::simulator {

struct Synthesis {
  Forest forest;                ///< trees of ranks; the weights of a root add up to trees_per_root
  Count trees_per_root = 0;     ///< k
  Fraction scale{};             ///< U: floor(U c) trees use capacity c of the graph at most
  std::vector<Split> splits{};  ///< how switches were removed, in order; nodes of the topology
};

/// Returns the forest for the given host of each rank; for all hosts in order if `host_of` is
/// empty. Uses the least capacity between switches that suffices, highest level first. Throws
/// Error(usage) if the capacities into and out of some switch differ.
Synthesis synthesize(const Topology& topology, std::span<const Rank> host_of = {});

}  // namespace arlab::simulator
