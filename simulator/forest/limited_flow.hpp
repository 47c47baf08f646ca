// LimitedFlow: maximum flows up to a limit, on a graph whose capacities change between flows.
//
// Building trees asks for thousands of small flows and only whether they reach a limit, which
// stops the search early. FlowNetwork (topologies/analysis/flow.hpp) computes full flows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arlab::simulator {

class LimitedFlow {
 public:
  using Node = std::int32_t;

  explicit LimitedFlow(Node nodes);
  Node nodes() const { return static_cast<Node>(arcs_.size()); }

  std::int64_t capacity(Node from, Node to) const;
  /// Adds to the capacity from one node to another, which must remain at least 0.
  void add(Node from, Node to, std::int64_t capacity);
  /// Adds a node without arcs and returns it.
  Node add_node();
  /// Returns the nodes to which or from which a node has or had capacity.
  std::span<const Node> neighbors(Node node) const { return neighbors_[index(node)]; }

  /// Returns the smaller of `limit` and the maximum flow. Dinitz's algorithm.
  std::int64_t flow(Node source, Node target, std::int64_t limit);

  /// A flow that was found before capacities changed.
  struct Kept {
    std::vector<std::vector<std::int64_t>> flow{};  ///< by node, on its arcs; empty: none is known
    std::size_t seen = 0;                           ///< capacities that had been lowered
  };
  /// Returns whether the maximum flow reaches `limit`: whether the one that is kept, of the same
  /// nodes and limit, still fits, or can pass by where it does not. Much faster than flow() if few
  /// capacities have changed.
  bool reaches(Node source, Node target, std::int64_t limit, Kept& kept);

 private:
  struct Arc {
    Node to = 0;
    std::int32_t back = 0;  // number of the opposite arc at `to`
    std::int64_t capacity = 0, residual = 0;
  };
  struct Lowered {  // the capacity of an arc
    Node from, to;
    std::int32_t number;
  };

  static std::size_t index(Node n) { return static_cast<std::size_t>(n); }
  std::int64_t augment(Node source, Node target, std::int64_t limit);
  bool number_levels(Node source, Node target);
  std::int64_t push(Node node, Node target, std::int64_t most);
  void keep(Kept& kept);
  void restore(const Kept& kept);
  bool fits(const Kept& kept, const Lowered& lowered) const;
  bool pass_by(const Lowered& lowered);

  std::vector<std::vector<Arc>> arcs_;
  std::vector<std::vector<Node>> neighbors_;       // of the arcs
  std::vector<std::vector<std::int32_t>> number_;  // by both nodes: of the arc, or -1
  std::vector<Lowered> lowered_;                   // in the order of the changes, once
  bool is_kept_ = false;                           // a flow is
  std::vector<std::int32_t> level_;
  std::vector<std::size_t> next_;
};

}  // namespace arlab::simulator
