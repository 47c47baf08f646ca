// AddingTree: the links that a transfer of a team takes through switches that add.
//
// A tree of such switches has the members' hosts as leaves. What they give goes up to the switch in
// the middle, added wherever branches meet, and the sum comes down to those that take it. Each link
// carries it once each way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/routing/link_index.hpp"

namespace arlab::simulator {

class AddingTree {
 public:
  /// A way between a member and the switch in the middle. Latencies include those of the switches:
  /// up also of the middle, down not.
  struct Branch {
    NodeId host = 0;
    std::vector<LinkId> up{}, down{};
    Time up_latency{}, down_latency{};
  };
  /// What a transfer takes: each link once, in order of number.
  struct Ways {
    std::vector<LinkId> links{};
    Time latency{};  ///< of the slowest branches
  };

  /// Of one member per host, by host.
  explicit AddingTree(std::vector<Branch> branches);

  /// Returns what the givers' hosts send up and the takers' hosts receive.
  Ways ways(std::span<const NodeId> givers, std::span<const NodeId> takers) const;

 private:
  const Branch& of(NodeId host) const;
  std::vector<Branch> branches_;
};

/// Returns the tree of these hosts whose farthest host is nearest to the middle; of several, and of
/// parallel cables, the one that `key` names. Nothing if no tree of switches that add joins them.
std::optional<AddingTree> adding_tree(const Topology& topology, const LinkIndex& links,
                                      std::span<const NodeId> hosts, std::uint64_t key = 0);

/// Returns whether a switch of the topology adds.
bool has_adding_switch(const Topology& topology);

/// Returns, for each link, the rate of transfers through the switches that add at its ends, in
/// bytes per second; 0 where only the link limits them.
std::vector<double> adding_rates(const Topology& topology);

}  // namespace arlab::simulator
