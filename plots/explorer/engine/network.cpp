// The picture of a topology, and the routes of messages on it.
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "plots/explorer/engine/request.hpp"
#include "simulator/topologies/analysis/layout.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::explorer {

// nodes: [[x, y, name, is a host]...]; links: [[from, to, bow, bytes per second, name]...]; hosts:
// of each rank; routes: the links between the hosts of each of the request's "pairs" of ranks.
Json network_json(const Json& request) {
  const simulator::FabricSpec fabric = parse_fabric(request);
  const Rank ranks = ranks_of(request);
  const simulator::Topology topology =
      simulator::make_topology(fabric.topology.empty() ? "crossbar" : fabric.topology, ranks);
  if (topology.nodes() > 2000)
    fail(Blame::usage, topology.spec() + " is larger than a page shows: use a smaller one");
  const simulator::Drawing drawing = draw(topology);
  simulator::Router router(topology, simulator::parse_routing(fabric.routing).routing, fabric.seed);
  const auto host_of =
      simulator::place(topology, simulator::find_placement(fabric.placement), ranks, fabric.seed);
  Json nodes = Json::array(), links = Json::array(), routes = Json::array();
  for (simulator::NodeId n = 0; n < topology.nodes(); ++n) {
    const simulator::Point at = drawing.at[static_cast<std::size_t>(n)];
    nodes.push_back({at.x, at.y, topology.node(n).name, topology.is_host(n)});
  }
  for (const simulator::Link& link : topology.links())
    links.push_back(
        {link.from, link.to, simulator::bow_of(topology, link), link.bandwidth, link.name});
  if (request.contains("pairs"))
    for (const Json& pair : request["pairs"]) {
      if (!pair.is_array() || pair.size() != 2)
        fail(Blame::usage, "a pair is [rank, rank], not " + pair.dump());
      const auto host = [&](std::size_t end) {
        const Count rank = whole_number(pair[end], "a rank of a pair");
        if (rank < 0 || rank >= static_cast<Count>(host_of.size()))
          fail(Blame::usage, "pairs names rank " + std::to_string(rank) + ": give 0 to " +
                                 std::to_string(host_of.size() - 1));
        return host_of[static_cast<std::size_t>(rank)];
      };
      const auto route = router.route(host(0), host(1));
      routes.push_back(std::vector<simulator::LinkId>(route.begin(), route.end()));
    }
  return {{"spec", topology.spec()},    {"width", simulator::Drawing::kWidth},
          {"height", drawing.height},   {"nodes", std::move(nodes)},
          {"links", std::move(links)},  {"hosts", host_of},
          {"routes", std::move(routes)}};
}

}  // namespace arlab::explorer
