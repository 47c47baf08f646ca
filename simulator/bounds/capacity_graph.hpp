// CapacityGraph: the links of a topology as a directed graph whose capacities are whole multiples
// of one unit, so that cuts and flows are exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct CapacityArc {
  NodeId from = 0, to = 0;
  std::int64_t capacity = 0;
  Time latency{};  ///< of parallel links the least
};

struct CapacityGraph {
  NodeId nodes = 0;
  std::vector<NodeId> hosts{};      ///< of each rank
  std::vector<bool> is_host{};      ///< by node: whether a rank runs there
  std::vector<CapacityArc> arcs{};  ///< sorted by nodes; parallel links are one arc
  double unit = 1;                  ///< bytes per second of capacity 1
  double raised = 0;  ///< the most by which a bandwidth was rounded up, relative; 0 if none was
};

/// Returns the graph for the given host of each rank; for all hosts in order if `host_of` is empty.
/// A host without a rank forwards messages only if the topology's hosts do. Bandwidths whose ratios
/// are fractions with denominators up to 10^9 (to 12 digits) become exact multiples; others
/// are rounded up to whole bytes per second, or more coarsely if 64 bits require it. Rounded up, an
/// upper bound on a rate remains one.
CapacityGraph capacity_graph(const Topology& topology, std::span<const Rank> host_of = {});

/// Returns the graph with every arc turned around.
CapacityGraph reversed(const CapacityGraph& graph);

/// Returns whether every arc has an arc of the same capacity in the other direction.
bool is_symmetric(const CapacityGraph& graph);

/// Returns a node without a rank into which more or less capacity leads than out of it; -1 if there
/// is none.
NodeId unbalanced_switch(const CapacityGraph& graph);

/// Returns the capacity of the arcs that leave a set of nodes.
std::int64_t capacity_out_of(const CapacityGraph& graph, const std::vector<bool>& nodes);

}  // namespace arlab::simulator
