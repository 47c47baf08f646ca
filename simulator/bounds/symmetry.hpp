// Symmetry: which hosts of a network are provably interchangeable.
//
// A symmetry maps nodes to nodes so that every arc lands on an arc of the same capacity and
// latency. Symmetries are searched for by color refinement: fix two hosts that should map to each
// other, refine the colors of all nodes by the colors of their neighbors, and fix further nodes
// until the colors name every node. Each map found is then checked arc by arc, so a wrong guess
// only costs time. McKay & Piperno, Practical graph isomorphism II, J. Symbolic Computation 60,
// 2014; without backtracking.
#pragma once

#include <vector>

#include "simulator/bounds/capacity_graph.hpp"

namespace arlab::simulator {

struct Symmetry {
  /// One host of each class. Every other host is the image of one of them under a symmetry; hosts
  /// of two classes may still be interchangeable.
  std::vector<NodeId> representatives;
  std::vector<Rank> class_sizes;  ///< number of hosts, by representative
  /// Symmetries that were found: the image of each node. They keep the set of hosts.
  std::vector<std::vector<NodeId>> generators;
};

Symmetry find_symmetry(const CapacityGraph& graph);

}  // namespace arlab::simulator
