// Helpers for tests of topologies: routes as text and as nodes, and the rules for all routes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/support/schedules.hpp"

namespace arlab::simulator {

inline std::string names(const Topology& topology, std::span<const LinkId> route) {
  std::string text;
  for (const LinkId id : route) text += (text.empty() ? "" : " ") + topology.link(id).name;
  return text;
}

/// Returns the nodes of a route. Empty if its links do not connect source to target, if it visits a
/// node twice, or if a node must not forward messages.
inline std::vector<NodeId> nodes_of(const Topology& topology, std::span<const LinkId> route,
                                    Rank source, Rank target) {
  std::vector<NodeId> nodes{source};
  std::set<NodeId> met{source};
  for (const LinkId id : route) {
    const Link& link = topology.link(id);
    const bool passes = link.to == target || topology.forwards(link.to);
    if (link.from != nodes.back() || !met.insert(link.to).second || !passes) return {};
    nodes.push_back(link.to);
  }
  return nodes.back() == target ? nodes : std::vector<NodeId>{};
}

}  // namespace arlab::simulator
