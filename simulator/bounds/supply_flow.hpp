// SupplyFlow: how much of what hosts supply can reach some of them, by a search from the sinks.
//
// Every host supplies an amount, or any amount. Cuts near a host are found without a visit to the
// rest of a large network: the search goes backwards from the sinks and stops at the nearest
// supplies. Dinitz's blocking flows, 1970.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"

namespace arlab::simulator {

class SupplyFlow {
 public:
  static constexpr std::int64_t kAny = INT64_MAX;

  explicit SupplyFlow(const CapacityGraph& graph);

  /// Sets the capacity of an arc of the graph, by its position there.
  void set_capacity(std::size_t arc, std::int64_t capacity);
  /// Sets what a node supplies: an amount, or kAny. It is 0 at first.
  void set_supply(NodeId node, std::int64_t amount) { supply_[index(node)] = amount; }

  /// Returns how much the sinks can receive, at most `wanted`. What they supply counts, unless it
  /// is kAny: a sink has no unlimited supply.
  std::int64_t into(std::span<const NodeId> sinks, std::int64_t wanted);
  /// Returns the nodes that the latest into(), if it fell short, found before the tightest cut.
  std::vector<bool> before_cut() const;

 private:
  struct Half {  // one direction of an arc: `spare` can still flow from `from` to its owner
    NodeId from = 0;
    std::uint32_t reverse = 0;
    std::int64_t capacity = 0, spare = 0;
  };

  bool search(std::span<const NodeId> sinks);
  std::int64_t pull(NodeId node, std::int64_t wanted);
  void push(Half& half, std::int64_t amount);
  std::int64_t take(NodeId node, std::int64_t wanted);
  void reset();
  bool found(std::size_t node) const { return stamp_[node] == search_; }

  std::vector<std::uint32_t> first_;  // of each node's incoming halves; one more at the end
  std::vector<Half> halves_;
  std::vector<std::uint32_t> half_of_;  // of each arc: the one with its capacity
  std::vector<std::int64_t> supply_, taken_;
  std::vector<std::uint32_t> level_, stamp_, next_;
  std::uint32_t search_ = 0;
  std::vector<NodeId> queue_;
  std::vector<std::uint32_t> touched_halves_;
  std::vector<NodeId> touched_nodes_;
};

}  // namespace arlab::simulator
