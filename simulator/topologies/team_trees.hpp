// TeamTrees: the trees of a fabric's teams, each found once, and what limits transfers over them:
// links, and the rates at which switches add, as further links.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/routing/adding_tree.hpp"

namespace arlab::simulator {

class TeamTrees {
 public:
  /// Both must outlive this.
  TeamTrees(const Fabric& fabric, const LinkIndex& links);

  /// Returns the rates of the further links, in bytes per second. Their numbers follow those of the
  /// topology's links.
  std::span<const double> rates() const { return rates_; }

  /// Returns what the transfer takes: links, then further links. Throws Error(usage) if no tree
  /// joins the members.
  AddingTree::Ways ways(const TeamTransfer& transfer);

 private:
  const Fabric& fabric_;
  const LinkIndex& links_;
  std::vector<double> rates_;
  std::vector<LinkId> further_;  // of each link; -1: none
  std::map<std::pair<std::uint32_t, std::vector<NodeId>>, AddingTree> trees_;  // by lane and hosts
};

/// Returns for which teams of the ranks, in these groups (or null), the switches of a fabric add.
SwitchSums switch_sums(const Fabric& fabric, const Groups* groups);

}  // namespace arlab::simulator
