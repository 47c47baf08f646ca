#include "bench/python/answers.hpp"

#include <fmt/format.h>

#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "bench/formats/topology_svg.hpp"
#include "bench/text/units.hpp"
#include "bench/tune/cells.hpp"
#include "bench/tune/decide.hpp"
#include "bench/tune/report.hpp"
#include "bench/tune/write_files.hpp"
#include "simulator/topologies/analysis/metrics.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/import/file.hpp"
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

// The text that gives these options; with the sizes that the ranks chose, if there are any.
std::string network_text(const TopologyOptions& options, Rank ranks) {
  const bool is_file = !simulator::topology_file(options.topology).empty();
  TopologyOptions whole = options;
  whole.faults.clear();
  std::string text = is_file || ranks == 0 ? options.topology : whole.open(ranks).spec();
  const TopologyOptions usual;
  if (options.seed != usual.seed)
    text = with_host_setting(text, fmt::format("seed={}", options.seed));
  if (options.routing != usual.routing)
    text = with_host_setting(text, "routing=" + options.routing);
  if (options.placement != usual.placement)
    text = with_host_setting(text, "placement=" + options.placement);
  for (auto fault = options.faults.rbegin(); fault != options.faults.rend(); ++fault)
    text = with_host_setting(text, *fault);  // in their order: each comes first
  return text;
}

}  // namespace

Json network_of(const TopologyOptions& options, Rank ranks) {
  const simulator::Topology topology = options.open(ranks);
  const simulator::Router router(topology, options.parsed_routing().routing);
  const std::vector<Rank> hosts = options.hosts_of(topology, ranks > 0 ? ranks : topology.hosts());
  return {{"spec", topology.spec()},
          {"network", network_text(options, ranks)},
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
  const auto decisions = decide(cells, "", known_to_runs);
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
  TuningTable table = table_of(cells, decisions, Outside::nearest, origin);
  table.collective = builder.collective();
  return {{"choices", std::move(choices)}, {"table", to_text(table)}};
}

}  // namespace arlab::bench::python
