#include "bench/python/answers.hpp"

#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "bench/formats/topology_svg.hpp"
#include "bench/text/units.hpp"
#include "bench/tune/cells.hpp"
#include "bench/tune/decide.hpp"
#include "bench/tune/report.hpp"
#include "simulator/topologies/analysis/metrics.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::bench::python {
namespace {

using Json = nlohmann::ordered_json;

double in_us(Time time) { return microseconds(time); }

Json nodes_json(const simulator::Topology& topology) {
  Json nodes = Json::array();
  for (simulator::NodeId id = 0; id < topology.nodes(); ++id) {
    const simulator::Node& node = topology.node(id);
    Json json{{"name", node.name},
              {"kind", topology.is_host(id) ? "host" : "switch"},
              {"level", node.level}};
    if (topology.is_host(id) && topology.groups() > 0) json["group"] = node.group;
    nodes.push_back(std::move(json));
  }
  return nodes;
}

Json links_json(const simulator::Topology& topology) {
  Json links = Json::array();
  for (const simulator::Link& link : topology.links())
    links.push_back({{"name", link.name},
                     {"from", topology.node(link.from).name},
                     {"to", topology.node(link.to).name},
                     {"bandwidth_gb_per_s", link.bandwidth / 1e9},
                     {"latency_us", in_us(link.latency)},
                     {"tier", topology.tiers()[static_cast<std::size_t>(link.tier)]}});
  return links;
}

Json metrics_json(const simulator::Metrics& m) {
  Json tiers = Json::array();
  for (const simulator::TierMetrics& tier : m.tiers)
    tiers.push_back({{"tier", tier.name},
                     {"links", tier.links},
                     {"slowest_gb_per_s", tier.slowest / 1e9},
                     {"fastest_gb_per_s", tier.fastest / 1e9},
                     {"shortest_us", in_us(tier.shortest)},
                     {"longest_us", in_us(tier.longest)}});
  return {{"hosts", m.hosts},
          {"switches", m.switches},
          {"links", m.links},
          {"diameter", m.diameter},
          {"average_distance", m.average_distance},
          {"longest_latency_us", in_us(m.longest_latency)},
          {"sampled", m.sampled},
          {"bisection_gb_per_s", m.bisection / 1e9},
          {"bisection_bound_gb_per_s", m.bisection_bound / 1e9},
          {"disconnection", m.disconnection},
          {"tiers", std::move(tiers)}};
}

// Null if the network is too large to be drawn.
Json picture_of(const simulator::Topology& topology) {
  try {
    return svg_of(topology);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

Json network_of(const TopologyOptions& options, Rank ranks) {
  const simulator::Topology topology = options.open(ranks);
  const simulator::Router router(topology, options.parsed_routing().routing);
  const std::vector<Rank> hosts = options.hosts_of(topology, ranks > 0 ? ranks : topology.hosts());
  return {{"spec", topology.spec()},
          {"routing", name(router.routing())},
          {"metrics", metrics_json(simulator::metrics(topology, hosts))},
          {"nodes", nodes_json(topology)},
          {"links", links_json(topology)},
          {"svg", picture_of(topology)}};
}

Json choices_of(const Json& records, const std::string& origin) {
  CellBuilder builder;
  for (const Json& record : records) builder.add(record, {});
  const std::vector<TuneCell> cells = builder.cells();
  const auto decisions = decide(cells, "", [](const TunedChoice&) { return true; });
  Json choices = Json::array();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!decisions[i]) continue;
    choices.push_back({{"ranks", cells[i].ranks},
                       {"bytes", cells[i].bytes},
                       {"elements", cells[i].elements},
                       {"algorithm", decisions[i]->best.choice.algorithm},
                       {"segments", decisions[i]->best.choice.segments},
                       {"time_us", decisions[i]->best.median_us}});
  }
  if (choices.empty())
    fail(Blame::usage, "no candidate supports any of these ranks and sizes: name others");
  const TuningTable table = table_of(cells, decisions, Outside::nearest, origin);
  return {{"choices", std::move(choices)}, {"table", to_text(table)}};
}

}  // namespace arlab::bench::python
