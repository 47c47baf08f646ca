#include "simulator/topologies/import/file.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/build/settings.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::simulator {
namespace {

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const std::string& required(const Attributes& edge, std::string_view attribute,
                            const std::string& what) {
  const std::string* text = edge.find(attribute);
  if (!text)
    fail(Blame::usage, what + " has no " + std::string(attribute) + ": add " +
                           (attribute == "latency" ? "latency=1us" : "bandwidth=100Gbps"));
  return *text;
}

Wire parse_wire(const Attributes& edge, const std::string& what) {
  Wire wire{0, Time{}, "link"};
  const std::string& bandwidth = required(edge, "bandwidth", what);
  const auto bytes = as_number(bandwidth);
  wire.bandwidth = bytes ? *bytes : parse_bandwidth(bandwidth, what + ": bandwidth");
  const std::string& latency = required(edge, "latency", what);
  const auto seconds = as_number(latency);
  if (seconds && !(*seconds >= 0 && *seconds <= 1))
    fail(Blame::usage, what + ": latency '" + latency + "' is not from 0 to 1 second");
  wire.latency = seconds ? to_time(*seconds * 1e12) : parse_latency(latency, what + ": latency");
  return wire;
}

// Returns the distance of each node from the nearest host, regardless of link directions.
std::vector<int> find_levels(const ParsedGraph& graph, const std::vector<bool>& is_host) {
  std::vector<std::vector<std::size_t>> neighbors(is_host.size());
  for (const ParsedGraph::Edge& edge : graph.edges) {
    neighbors[edge.from].push_back(edge.to);
    neighbors[edge.to].push_back(edge.from);
  }
  std::vector<int> level(is_host.size(), -1);
  std::vector<std::size_t> reached;
  for (std::size_t n = 0; n < is_host.size(); ++n)
    if (is_host[n]) {
      level[n] = 0;
      reached.push_back(n);
    }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::size_t next : neighbors[reached[i]])
      if (level[next] < 0) {
        level[next] = level[reached[i]] + 1;
        reached.push_back(next);
      }
  for (int& l : level) l = std::max(l, 0);
  return level;
}

bool host_kind(const Attributes& node, const std::string& what) {
  const std::string* kind = node.find("kind");
  if (kind && *kind == "host") return true;
  if (kind && *kind == "switch") return false;
  fail(Blame::usage, what + (kind ? " is of kind '" + *kind + "'" : " has no kind") +
                         ": write kind=host or kind=switch");
}

// Numbers groups in order of appearance. Either all hosts have a group or none.
void add_groups(const ParsedGraph& graph, const std::vector<std::size_t>& hosts,
                const std::string& file, TopologyBuilder& builder) {
  std::map<std::string, std::int32_t> number;
  std::vector<std::int32_t> group_of;
  for (const std::size_t host : hosts)
    if (const std::string* group = graph.nodes[host].find("group"))
      group_of.push_back(
          number.emplace(*group, static_cast<std::int32_t>(number.size())).first->second);
  if (group_of.empty()) return;
  if (group_of.size() < hosts.size())
    fail(Blame::usage, file + ": some hosts have a group and some have none: give all of them one");
  builder.group_hosts("group", group_of);
}

Topology converted(const ParsedGraph& graph, const std::string& file) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::string> names;
  std::vector<bool> is_host;
  std::vector<std::size_t> hosts;
  for (std::size_t n = 0; n < count; ++n) {
    const std::string* name = graph.nodes[n].find("name");
    names.push_back(name ? *name : "n" + std::to_string(n));
    is_host.push_back(host_kind(graph.nodes[n], file + ": node '" + names[n] + "'"));
    if (is_host[n]) hosts.push_back(n);
  }
  const double links = static_cast<double>(graph.edges.size()) * (graph.directed ? 1 : 2);
  TopologyBuilder builder(file, static_cast<double>(hosts.size()),
                          static_cast<double>(count - hosts.size()), links);
  std::vector<NodeId> id(count);
  const std::vector<int> levels = find_levels(graph, is_host);
  for (const std::size_t host : hosts) id[host] = builder.add_host(names[host]);
  for (std::size_t n = 0; n < count; ++n)
    if (!is_host[n]) id[n] = builder.add_switch(names[n], std::max(1, levels[n]));

  for (const auto& [from, to, attributes] : graph.edges) {
    const std::string* name = attributes.find("name");
    const std::string ends = names[from] + "-" + names[to];
    const Wire wire = parse_wire(attributes, file + ": link '" + (name ? *name : ends) + "'");
    builder.add_link(id[from], id[to], wire, name ? *name : "");
    if (!graph.directed) builder.add_link(id[to], id[from], wire, name ? *name + " back" : "");
  }
  if (hosts.size() == count) builder.hosts_forward();
  add_groups(graph, hosts, file, builder);
  Topology made = std::move(builder).build();
  if (const auto disconnection = find_disconnection(made))
    fail(Blame::usage, file + " is not connected: " + to_string(*disconnection, made));
  return made;
}

}  // namespace

bool is_topology_file(std::string_view spec) {
  const auto ends = [&](std::string_view ending) { return spec.ends_with(ending); };
  return ends(".graphml") || ends(".xml") || ends(".dot") || ends(".gv");
}

Topology parse_topology(std::string_view text, const std::string& name) {
  const bool dot = name.ends_with(".dot") || name.ends_with(".gv");
  return parse_topology(text, name, dot ? TopologyFormat::dot : TopologyFormat::graphml);
}

Topology parse_topology(std::string_view text, const std::string& name, TopologyFormat format) {
  return converted(parse_graph(text, name, format), name);
}

}  // namespace arlab::simulator
