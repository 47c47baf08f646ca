#include "simulator/topologies/analysis/connectivity.hpp"

#include <algorithm>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <set>

#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

// Selects the links between nodes that forward messages.
struct Passing {
  const Topology* topology = nullptr;

  bool passes_on(NodeId node) const { return topology->forwards(node); }
  template <class Descriptor>
  bool operator()(const Descriptor& edge) const {
    const Link& link = topology->link(topology->graph()[edge].link);
    return passes_on(link.from) && passes_on(link.to);
  }
};

// Returns whether all hosts are in, or have links to and from, one strongly connected component of
// the forwarding nodes. This is the usual case, found in linear time. It is sufficient, not
// necessary.
bool surely_connected(const Topology& topology) {
  const Passing passing{&topology};
  const boost::filtered_graph<NetworkGraph, Passing> graph(topology.graph(), passing);
  std::vector<int> part(static_cast<std::size_t>(topology.nodes()));
  const int parts = boost::strong_components(
      graph, boost::make_iterator_property_map(part.begin(), get(boost::vertex_index, graph)));

  // Hosts with links to and from each component.
  std::vector<Rank> hosts_of(static_cast<std::size_t>(parts));
  for (Rank h = 0; h < topology.hosts(); ++h) {
    const auto host = static_cast<std::size_t>(h);
    std::set<int> to, from;
    if (passing.passes_on(h)) to = from = {part[host]};
    for (const auto& edge : boost::make_iterator_range(out_edges(host, topology.graph())))
      if (const NodeId n = topology.link(topology.graph()[edge].link).to; passing.passes_on(n))
        to.insert(part[static_cast<std::size_t>(n)]);
    for (const auto& edge : boost::make_iterator_range(in_edges(host, topology.graph())))
      if (const NodeId n = topology.link(topology.graph()[edge].link).from; passing.passes_on(n))
        from.insert(part[static_cast<std::size_t>(n)]);
    for (const int p : to) hosts_of[static_cast<std::size_t>(p)] += from.count(p) > 0 ? 1 : 0;
  }
  return std::find(hosts_of.begin(), hosts_of.end(), topology.hosts()) != hosts_of.end();
}

}  // namespace

std::optional<Disconnection> find_disconnection(const Topology& topology) {
  if (surely_connected(topology)) return std::nullopt;
  std::vector<bool> checked(static_cast<std::size_t>(topology.nodes()));
  for (Rank target = 0; target < topology.hosts(); ++target) {
    const LinkId last = only_link_to(topology, target);
    const NodeId goal = last < 0 ? target : topology.link(last).from;
    if (checked[static_cast<std::size_t>(goal)]) continue;
    checked[static_cast<std::size_t>(goal)] = true;
    const auto distance = distances_to(topology, goal);
    Disconnection disconnection{target, {}};
    for (Rank source = 0; source < topology.hosts(); ++source)
      if (source != target && !distance[static_cast<std::size_t>(source)].reachable())
        disconnection.sources.push_back(source);
    if (!disconnection.sources.empty()) return disconnection;
  }
  return std::nullopt;
}

std::string to_string(const Disconnection& disconnection, const Topology& topology) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, disconnection.sources.size()); ++i)
    text += (i == 0 ? "" : ", ") + topology.node(disconnection.sources[i]).name;
  if (disconnection.sources.size() > kShown)
    text += " and " + std::to_string(disconnection.sources.size() - kShown) + " more";
  return text + " cannot reach " + topology.node(disconnection.target).name;
}

}  // namespace arlab::simulator
