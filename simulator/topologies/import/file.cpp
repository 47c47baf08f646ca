#include "simulator/topologies/import/file.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/build/settings.hpp"
#include "simulator/topologies/import/file_settings.hpp"

namespace arlab::simulator {
namespace {

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

bool host_kind(const Attributes& node, FileSettings& settings, const std::string& what) {
  const std::string* const kind = settings.kind_of(node);
  if (kind && *kind == "host") return true;
  if (kind && *kind == "switch") return false;
  fail(Blame::usage, what + (kind ? " is of kind '" + *kind + "': write kind=host or kind=switch"
                                  : " has no kind: write kind=host or kind=switch, there or "
                                    "after the file's name, as in NAME:kind=host"));
}

// Numbers groups in order of appearance, and returns the numbers. Either all hosts have a group or
// none.
std::map<std::string, std::int32_t> add_groups(const ParsedGraph& graph,
                                               const std::vector<std::size_t>& hosts,
                                               const std::string& file, TopologyBuilder& builder) {
  std::map<std::string, std::int32_t> number;
  std::vector<std::int32_t> group_of;
  for (const std::size_t host : hosts)
    if (const std::string* group = graph.nodes[host].attributes.find("group"))
      group_of.push_back(
          number.emplace(*group, static_cast<std::int32_t>(number.size())).first->second);
  if (group_of.empty()) return number;
  if (group_of.size() < hosts.size())
    fail(Blame::usage, file + ": some hosts have a group and some have none: give all of them one");
  builder.group_hosts("group", group_of);
  return number;
}

// Returns whether hosts say that they forward messages or do not.
bool says_forwards(const ParsedGraph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ParsedGraph::Node& node) {
    return node.attributes.find("forwards") != nullptr;
  });
}

bool flag(const Attributes& node, std::string_view name, const std::string& what) {
  const std::string* const said = node.find(name);
  if (!said) return false;
  if (*said == "true" || *said == "false") return *said == "true";
  return parse_flag(*said, what + ": " + std::string(name));
}

bool forwards(const Attributes& node, const std::string& what) {
  return flag(node, "forwards", what);
}

// What a switch adds: aggregate=yes, aggregate_bandwidth=300GB/s, aggregate_latency=100ns.
std::optional<SwitchAdds> adds_of(const Attributes& node, const std::string& what) {
  const std::string *rate = node.find("aggregate_bandwidth"),
                    *latency = node.find("aggregate_latency");
  if (!flag(node, "aggregate", what)) {
    if (rate || latency)
      fail(Blame::usage, what + " has " + (rate ? "aggregate_bandwidth" : "aggregate_latency") +
                             ", but does not aggregate: write aggregate=yes, too");
    return std::nullopt;
  }
  SwitchAdds adds;
  if (rate) adds.rate = parse_bandwidth(*rate, what + ": aggregate_bandwidth");
  if (latency) adds.latency = parse_latency(*latency, what + ": aggregate_latency");
  return adds;
}

// The nodes of a file, by kind, and the links between them.
class Conversion {
 public:
  Conversion(const ParsedGraph& graph, const std::string& spec, FileSettings settings)
      : graph_(graph), spec_(spec), file_(topology_file(spec)), settings_(std::move(settings)) {
    if (file_.empty()) file_ = spec;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const auto& [id, attributes] = graph.nodes[n];
      is_host_.push_back(host_kind(attributes, settings_, file_ + ": node '" + id + "'"));
      if (is_host_[n]) hosts_.push_back(n);
    }
  }

  Topology topology() {
    Topology made = connected();
    settings_.check_used(file_);
    return made;
  }

 private:
  Topology connected() {
    if (says_forwards(graph_)) return expect_connected(built(false));
    const bool all_hosts = hosts_.size() == graph_.nodes.size();
    Topology made = built(all_hosts);
    if (all_hosts || !find_disconnection(made)) return expect_connected(std::move(made));
    Topology forwarding = built(true);  // such as GPUs of which some have no way over switches
    return find_disconnection(forwarding) ? expect_connected(std::move(made))
                                          : std::move(forwarding);
  }

  Topology built(bool all_forward) {
    double links = 0;
    for (const ParsedGraph::Edge& edge : graph_.edges) links += edge.directed ? 1 : 2;
    const std::size_t count = graph_.nodes.size();
    TopologyBuilder builder(spec_, static_cast<double>(hosts_.size()),
                            static_cast<double>(count - hosts_.size()), links);
    std::vector<NodeId> id(count);
    const std::vector<int> levels = find_levels(graph_, is_host_);
    for (const std::size_t host : hosts_) {
      const auto& [name, attributes] = graph_.nodes[host];
      id[host] = builder.add_host(name, forwards(attributes, file_ + ": node '" + name + "'"));
    }
    for (std::size_t n = 0; n < count; ++n)
      if (!is_host_[n]) {
        const auto& [name, attributes] = graph_.nodes[n];
        id[n] = builder.add_switch(name, std::max(1, levels[n]));
        const auto adds = adds_of(attributes, file_ + ": node '" + name + "'");
        if (adds) builder.make_adding(id[n], *adds);
      }
    for (const ParsedGraph::Edge& edge : graph_.edges) add_links(edge, id, builder);
    if (all_forward) builder.hosts_forward();
    const auto groups = add_groups(graph_, hosts_, file_, builder);
    for (std::size_t n = 0; n < count; ++n)
      if (const auto* group = graph_.nodes[n].attributes.find("group"); group && !is_host_[n]) {
        const auto number = groups.find(*group);
        if (number == groups.end())
          fail(Blame::usage, file_ + ": switch '" + graph_.nodes[n].id + "' is in group '" +
                                 *group + "', which has no host: correct or remove it");
        builder.group_switch(id[n], number->second);
      }
    return std::move(builder).build();
  }

  void add_links(const ParsedGraph::Edge& edge, const std::vector<NodeId>& id,
                 TopologyBuilder& builder) {
    const std::string* const own = edge.attributes.find("name");
    const std::string name = own ? *own : "";
    const std::string ends = graph_.nodes[edge.from].id + "-" + graph_.nodes[edge.to].id;
    const std::string place = edge.line == 0 ? file_ : file_ + ":" + std::to_string(edge.line);
    const std::string what = place + ": link '" + (own ? name : ends) + "'";
    const std::string* const tier = edge.attributes.find("tier");
    const Wire wire{settings_.bandwidth_of(edge.attributes, what),
                    settings_.latency_of(edge.attributes, what),
                    tier ? std::string_view(*tier) : "link"};
    builder.add_link(id[edge.from], id[edge.to], wire, name);
    if (!edge.directed)
      builder.add_link(id[edge.to], id[edge.from], wire, own ? name + " back" : "");
  }

  Topology expect_connected(Topology made) const {
    if (const auto disconnection = find_disconnection(made))
      fail(Blame::usage, file_ + " is not connected: " + to_string(*disconnection, made));
    return made;
  }

  const ParsedGraph& graph_;
  const std::string& spec_;
  std::string file_;
  FileSettings settings_;
  std::vector<bool> is_host_;
  std::vector<std::size_t> hosts_;
};

}  // namespace

std::string_view topology_file(std::string_view spec) {
  if (spec.starts_with(kFilePrefix)) {
    spec.remove_prefix(kFilePrefix.size());
    const std::string_view known = topology_file(spec);
    if (!known.empty()) return known;
    const std::size_t settings = spec.rfind(':');
    const bool some = settings != spec.npos && spec.find('=', settings) != spec.npos;
    return spec.substr(0, some ? settings : spec.npos);
  }
  for (const std::string_view ending : {".graphml", ".xml", ".dot", ".gv", ".yml", ".yaml", ".txt"})
    for (std::size_t at = spec.find(ending); at != spec.npos; at = spec.find(ending, at + 1)) {
      const std::size_t end = at + ending.size();
      if (end == spec.size() || spec[end] == ':') return spec.substr(0, end);
    }
  return {};
}

void refuse_other_files(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const std::size_t point = name.find_last_of('.');
  const bool like_file = name.find('/') != name.npos ||
                         (point != name.npos && point > 0 && name.find('=') == name.npos);
  if (like_file)
    fail(Blame::usage,
         "'" + std::string(name) +
             "' looks like a file, but no ending says so: write file:" + std::string(name));
}

Topology parse_topology(std::string_view text, const std::string& spec) {
  const std::string_view file = topology_file(spec);
  const bool dot = file.ends_with(".dot") || file.ends_with(".gv");
  return parse_topology(text, spec, dot ? TopologyFormat::dot : TopologyFormat::graphml);
}

Topology parse_topology(std::string_view text, const std::string& spec, TopologyFormat format) {
  const std::string_view file = topology_file(spec);
  return to_topology(parse_graph(text, file.empty() ? spec : std::string(file), format), spec,
                     FileSettings::of(spec));
}

Topology to_topology(const ParsedGraph& graph, const std::string& spec, FileSettings settings) {
  return Conversion(graph, spec, std::move(settings)).topology();
}

}  // namespace arlab::simulator
