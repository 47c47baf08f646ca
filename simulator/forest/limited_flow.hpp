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
  Node nodes() const { return static_cast<Node>(leaving_.size()); }

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
    std::vector<std::int64_t> flow{};  ///< on each arc; empty: none has been found
    std::size_t seen = 0;              ///< capacities that had been lowered
  };
  /// Returns whether the maximum flow reaches `limit`: whether the one that is kept, of the same
  /// nodes and limit, still fits, or can pass by where it does not. Much faster than flow() if few
  /// capacities have changed.
  bool reaches(Node source, Node target, std::int64_t limit, Kept& kept);

 private:
  struct Arc {  // the opposite one has the other number of two, as 4 and 5
    std::int64_t capacity = 0, flow = 0;  // the opposite flow is negative
    std::int64_t residual() const { return capacity - flow; }
  };
  struct Leaving {
    Node to = 0;
    std::int32_t arc = 0;
  };

  static std::size_t index(Node n) { return static_cast<std::size_t>(n); }
  Arc& arc(std::int32_t number) { return arcs_[static_cast<std::size_t>(number)]; }
  std::int64_t augment(Node source, Node target, std::int64_t limit);
  bool number_levels(Node source, Node target);
  std::int64_t push(Node node, Node target, std::int64_t most);
  bool pass_by(std::int32_t number, Node from, Node to);

  std::vector<Arc> arcs_;
  std::vector<std::vector<Leaving>> leaving_;      // of each node
  std::vector<std::vector<Node>> neighbors_;       // of the arcs
  std::vector<std::vector<std::int32_t>> number_;  // by both nodes: of the arc, or -1
  struct Lowered {
    std::int32_t arc;
    Node from, to;
  };
  std::vector<Lowered> lowered_;  // capacities, in the order of the changes
  std::vector<std::int32_t> level_;
  std::vector<std::size_t> next_;
};

}  // namespace arlab::simulator
