#include "simulator/topologies/team_trees.hpp"

#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/teams.hpp"

namespace arlab::simulator {
namespace {

std::vector<NodeId> hosts_of(const Fabric& fabric, std::span<const Rank> ranks) {
  std::vector<NodeId> hosts;
  for (const Rank rank : ranks) hosts.push_back(fabric.host_of[index(rank)]);
  return hosts;
}

}  // namespace

TeamTrees::TeamTrees(const Fabric& fabric, const LinkIndex& links)
    : fabric_(fabric), links_(links) {
  if (!has_adding_switch(fabric.topology)) return;
  for (const double rate : adding_rates(fabric.topology)) {
    const std::size_t number = fabric.topology.links().size() + rates_.size();
    further_.push_back(rate > 0 ? static_cast<LinkId>(number) : -1);
    if (rate > 0) rates_.push_back(rate);
  }
}

AddingTree::Ways TeamTrees::ways(const TeamTransfer& transfer) {
  std::pair key{transfer.lane, hosts_of(fabric_, transfer.members)};
  auto found = trees_.find(key);
  if (found == trees_.end()) {
    // Lanes, and teams beside one another, take different trees where there are several.
    const auto first = static_cast<std::uint64_t>(transfer.members[0]);
    auto tree = adding_tree(fabric_.topology, links_, key.second, transfer.lane + first);
    if (!tree)
      fail(Blame::usage, fabric_.topology.spec() + ": no tree of switches that add joins the " +
                             std::to_string(transfer.members.size()) + " ranks of a team");
    found = trees_.emplace(std::move(key), std::move(*tree)).first;
  }
  AddingTree::Ways ways =
      found->second.ways(hosts_of(fabric_, transfer.givers), hosts_of(fabric_, transfer.takers));
  for (std::size_t i = 0, links = ways.links.size(); i < links; ++i)
    if (const LinkId further = further_[index(ways.links[i])]; further >= 0)
      ways.links.push_back(further);
  return ways;
}

SwitchSums switch_sums(const Fabric& fabric, const Groups* groups) {
  SwitchSums sums;
  if (!has_adding_switch(fabric.topology)) return sums;
  const LinkIndex links(fabric.topology);
  const Problem p{.ranks = static_cast<Rank>(fabric.host_of.size()), .groups = groups};
  const auto joins = [&](Team first, Team end) {
    for (Team team = first; team < end; ++team) {
      const std::vector<Rank> ranks = members(p, team);
      if (ranks.size() > 1 && !adding_tree(fabric.topology, links, hosts_of(fabric, ranks)))
        return false;
    }
    return true;
  };
  sums.all = joins(kEveryone, kEveryone + 1);
  if (!groups) return sums;
  sums.groups = joins(team_of_group(p, 0), team_of_place(p, 0));
  sums.places = joins(team_of_place(p, 0), teams(p));
  return sums;
}

}  // namespace arlab::simulator
