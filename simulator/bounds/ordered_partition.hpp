// OrderedPartition: nodes in ordered cells, refined until equal neighborhoods share a cell.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"

namespace arlab::simulator {

/// What a node sees: neighbors, with a number for capacity, latency, and direction of the arc.
struct Neighborhoods {
  explicit Neighborhoods(const CapacityGraph& graph);
  struct Neighbor {
    NodeId node = 0;
    std::uint64_t arc = 0;
  };
  std::vector<std::vector<Neighbor>> of;
};

/// Two partitions that went through the same steps have equal sizes() if a symmetry maps one to the
/// other. A cell is known by the place of its first node.
class OrderedPartition {
 public:
  OrderedPartition(const Neighborhoods& neighborhoods, const std::vector<bool>& is_host);

  /// Gives a node a cell of its own, ahead of the rest of its cell, and refines.
  void single_out(NodeId node);

  std::size_t cell_of(NodeId node) const { return cell_[static_cast<std::size_t>(node)]; }
  /// The size of each cell at its first place, and 0 elsewhere.
  const std::vector<std::size_t>& sizes() const { return size_; }
  /// The nodes, cell by cell.
  const std::vector<NodeId>& order() const { return order_; }

 private:
  using Place = std::size_t;
  void refine(std::vector<Place> waiting);
  void split(Place cell, std::vector<NodeId>::const_iterator first,
             std::vector<NodeId>::const_iterator last, std::vector<Place>& waiting);
  void swap_places(Place a, Place b);

  const Neighborhoods* neighborhoods_;
  std::vector<NodeId> order_;
  std::vector<Place> place_, cell_;  // of each node
  std::vector<std::size_t> size_;
  std::vector<std::uint64_t> seen_;         // of each node: sum over its arcs to the current cell
  std::vector<bool> touched_, is_waiting_;  // by node; by cell
};

}  // namespace arlab::simulator
