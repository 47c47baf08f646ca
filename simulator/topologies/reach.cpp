#include "simulator/topologies/reach.hpp"

#include <algorithm>

#include "simulator/topologies/distances.hpp"

namespace arlab {

std::optional<Gap> find_gap(const Topology& topology) {
  std::vector<bool> checked(static_cast<std::size_t>(topology.nodes()));
  for (Rank target = 0; target < topology.hosts(); ++target) {
    const LinkId last = only_link_to(topology, target);
    const NodeId goal = last < 0 ? target : topology.link(last).from;
    if (checked[static_cast<std::size_t>(goal)]) continue;
    checked[static_cast<std::size_t>(goal)] = true;
    const auto distance = distances_to(topology, goal);
    Gap gap{target, {}};
    for (Rank source = 0; source < topology.hosts(); ++source)
      if (source != target && !distance[static_cast<std::size_t>(source)].reachable())
        gap.sources.push_back(source);
    if (!gap.sources.empty()) return gap;
  }
  return std::nullopt;
}

std::string text_of(const Gap& gap, const Topology& topology) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, gap.sources.size()); ++i)
    text += (i == 0 ? "" : ", ") + topology.node(gap.sources[i]).name;
  if (gap.sources.size() > kShown)
    text += " and " + std::to_string(gap.sources.size() - kShown) + " more";
  return text + " cannot reach " + topology.node(gap.target).name;
}

}  // namespace arlab
