// LinkIndex: the links out of a node, and those between two nodes, as ranges of one array.
#pragma once

#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class LinkIndex {
 public:
  explicit LinkIndex(const Topology& topology);

  /// In order of the node they lead to, then of their number.
  std::span<const LinkId> out_of(NodeId node) const;
  std::span<const LinkId> between(NodeId from, NodeId to) const;

 private:
  const Topology& topology_;
  std::vector<LinkId> sorted_;
  std::vector<std::size_t> first_;  // by node
};

/// A message on its way: goes from node to node and notes the links.
class RouteBuilder {
 public:
  RouteBuilder(const Topology& topology, const LinkIndex& links)
      : topology_(topology), links_(links) {}

  void start(NodeId node) {
    at_ = node;
    route_.clear();
  }
  NodeId at() const { return at_; }
  std::span<const LinkId> route() const { return route_; }

  void take(LinkId link) {
    route_.push_back(link);
    at_ = topology_.link(link).to;
  }
  /// By the `cable`th of the links to a neighbour (modulo their number).
  void to(NodeId neighbour, Count cable = 0);

 private:
  const Topology& topology_;
  const LinkIndex& links_;
  NodeId at_ = 0;
  std::vector<LinkId> route_;
};

}  // namespace arlab::simulator
