#include "simulator/topologies/analysis/distances.hpp"

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

namespace arlab::simulator {
namespace {

struct Usable {
  const Topology* topology = nullptr;
  NodeId target = 0;

  template <class Descriptor>
  bool operator()(const Descriptor& edge) const {
    return usable(*topology, topology->link(topology->graph()[edge].link), target);
  }
};

}  // namespace

std::vector<Distance> distances_to(const Topology& topology, NodeId target) {
  const NetworkGraph& graph = topology.graph();
  const boost::filtered_graph<NetworkGraph, Usable> allowed(graph, Usable{&topology, target});
  const auto backwards = boost::make_reverse_graph(allowed);
  using BackEdge = boost::graph_traits<decltype(backwards)>::edge_descriptor;

  std::vector<Distance> distance(num_vertices(graph), kUnreachable);
  const auto link_of = boost::make_function_property_map<BackEdge>(
      [&](const BackEdge& edge) { return topology.link(graph[edge.underlying_descx].link); });
  boost::dijkstra_shortest_paths(
      backwards, static_cast<std::size_t>(target),
      boost::distance_map(
          boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, graph)))
          .weight_map(link_of)
          .distance_compare(std::less<>())
          .distance_combine([](const Distance& d, const Link& link) { return d + link; })
          .distance_inf(kUnreachable)
          .distance_zero(Distance{}));
  return distance;
}

LinkId only_link_to(const Topology& topology, Rank host) {
  const auto node = static_cast<std::size_t>(host);
  if (in_degree(node, topology.graph()) != 1) return -1;
  const LinkId id = topology.graph()[*in_edges(node, topology.graph()).first].link;
  return topology.forwards(topology.link(id).from) ? id : -1;
}

}  // namespace arlab::simulator
