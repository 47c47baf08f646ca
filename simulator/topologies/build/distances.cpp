#include "simulator/topologies/build/distances.hpp"

#include <memory>
#include <utility>

#include "algorithms/base/stop.hpp"

namespace arlab::simulator {

// Nodes of one hop, then of two: a heap would sort what is sorted.
std::vector<Distance> distances_to(const Topology& topology, NodeId target) {
  stop_if_asked();
  const NetworkGraph& graph = topology.graph();
  std::vector<Distance> distance(num_vertices(graph), kUnreachable);
  const auto distance_of = [&](NodeId node) -> Distance& {
    return distance[static_cast<std::size_t>(node)];
  };
  distance_of(target) = {};
  std::vector<NodeId> nearest{target}, next;
  for (; !nearest.empty(); nearest = std::exchange(next, {}))
    for (const NodeId node : nearest) {
      if (node != target && !topology.forwards(node)) continue;
      const Distance here = distance_of(node);
      const auto [begin, end] = in_edges(static_cast<std::size_t>(node), graph);
      for (auto edge = begin; edge != end; ++edge) {
        const auto from = static_cast<NodeId>(source(*edge, graph));
        Distance& known = distance_of(from);
        if (known.hops <= here.hops) continue;  // before its link is looked up, which takes longer
        const Distance through = here + topology.link(graph[*edge].link);
        if (!known.reachable()) next.push_back(from);
        if (through < known) known = through;
      }
    }
  return distance;
}

KeptDistances::~KeptDistances() {
  for (const auto& distances : to_) delete distances.load();
}

// Two threads may find the same at once: one keeps it.
const std::vector<Distance>& KeptDistances::to(const Topology& topology, NodeId target) const {
  auto& kept = to_[static_cast<std::size_t>(target)];
  const std::vector<Distance>* known = kept.load();
  if (known) return *known;
  auto found = std::make_unique<const std::vector<Distance>>(distances_to(topology, target));
  return kept.compare_exchange_strong(known, found.get()) ? *found.release() : *known;
}

LinkId only_link_to(const Topology& topology, Rank host) {
  const auto node = static_cast<std::size_t>(host);
  if (in_degree(node, topology.graph()) != 1) return -1;
  const LinkId id = topology.graph()[*in_edges(node, topology.graph()).first].link;
  return topology.forwards(topology.link(id).from) ? id : -1;
}

}  // namespace arlab::simulator
