// LinkIndex: the links out of a node, and the links between two nodes, as ranges of one array.
#pragma once

#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class LinkIndex {
 public:
  explicit LinkIndex(const Topology& topology);

  /// Returns the links out of `node`, ordered by target node, then by number.
  std::span<const LinkId> out_of(NodeId node) const;
  std::span<const LinkId> between(NodeId from, NodeId to) const;

 private:
  std::vector<LinkId> sorted_;
  std::vector<NodeId> targets_;     // of the sorted links
  std::vector<std::size_t> first_;  // by node
};

/// Builds a route link by link.
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
  /// Takes the `cable`th of the links to a neighbor (modulo their number).
  void to(NodeId neighbor, Count cable = 0);

 private:
  const Topology& topology_;
  const LinkIndex& links_;
  NodeId at_ = 0;
  std::vector<LinkId> route_;
};

}  // namespace arlab::simulator
