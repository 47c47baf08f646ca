// Removes the switches of a network: replaces them by direct capacities between hosts.
//
// Every host must still be able to receive k units from each of the n hosts: the maximum flow from
// a common source of k units per host is n k to each of them. Two arcs u -> w -> t through a switch
// w are split off into one arc u -> t as long as this holds. If as much capacity enters every
// switch as leaves it, all can be split off. Bang-Jensen, Frank, Jackson, Preserving and increasing
// local edge-connectivity in mixed graphs, SIAM J. Discrete Mathematics 8(2), 1995; Zhao et al.,
// ForestColl, arXiv:2402.06787.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/forest/limited_flow.hpp"

namespace arlab::simulator {

/// `capacity` of u -> via -> t became capacity of u -> t.
struct Split {
  std::int32_t from = 0, via = 0, to = 0;
  std::int64_t capacity = 0;
};

/// Capacities between nodes, of which the last is the source of k units per host.
struct SplitGraph {
  LimitedFlow flow;
  std::int32_t source = 0;
  std::vector<std::int32_t> hosts;
  std::int64_t units = 0;  ///< k
  std::vector<Split> splits{};

  std::size_t last_short = 0;  ///< the host that fell short the last time, examined first
  std::vector<LimitedFlow::Kept> kept{};  ///< of each host: a flow that sufficed before

  /// Returns by how much the first host that cannot receive k units from each host falls short;
  /// 0 if all can.
  std::int64_t shortfall();
};

/// Splits off the switches, in the given order. `level` is each node's, 0 for a host. Where
/// possible, messages pass the lowest switch between two hosts, and none passes a switch that
/// serves neither end.
void split_switches(SplitGraph& graph, const std::vector<std::int32_t>& switches,
                    const std::vector<int>& level);

}  // namespace arlab::simulator
