#include "simulator/topologies/file.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "algorithms/error.hpp"
#include "simulator/topologies/reach.hpp"
#include "simulator/topologies/settings.hpp"

namespace arlab {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kDeepest = 100;  // nesting; Boost's readers recurse

// What a file says of a node or an edge.
struct Attributes {
  std::map<std::string, std::string, std::less<>> values;

  const std::string* find(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
};

template <class Direction>
using FileGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, Direction, Attributes, Attributes>;

// The text of a value, of whatever type GraphML gives it.
std::string text_of(const boost::any& value) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  const auto is = [&]<class T>(const T*) {
    const T* held = boost::any_cast<T>(&value);
    if (held) text << *held;
    return held != nullptr;
  };
  if (const auto* held = boost::any_cast<bool>(&value)) return *held ? "true" : "false";
  is(static_cast<std::string*>(nullptr)) || is(static_cast<double*>(nullptr)) ||
      is(static_cast<float*>(nullptr)) || is(static_cast<int*>(nullptr)) ||
      is(static_cast<long*>(nullptr));
  return text.str();
}

// Keeps one property of all nodes, or of all edges, in their Attributes.
template <class G, class Key>
class Property : public boost::dynamic_property_map {
 public:
  Property(G& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  void put(const boost::any& key, const boost::any& value) override {
    graph_[boost::any_cast<Key>(key)].values[name_] = text_of(value);
  }
  boost::any get(const boost::any& key) override { return boost::any(get_string(key)); }
  std::string get_string(const boost::any& key) override {
    return graph_[boost::any_cast<Key>(key)].values[name_];
  }
  const std::type_info& key() const override { return typeid(Key); }
  const std::type_info& value() const override { return typeid(std::string); }

 private:
  G& graph_;
  std::string name_;
};

// Keeps every property of nodes and edges; those of the whole graph are left out.
template <class G>
boost::dynamic_properties keep_all(G& graph) {
  using Vertex = typename G::vertex_descriptor;
  using EdgeOf = typename G::edge_descriptor;
  return boost::dynamic_properties(
      [&graph](const std::string& name, const boost::any& key,
               const boost::any&) -> boost::shared_ptr<boost::dynamic_property_map> {
        if (key.type() == typeid(Vertex))
          return boost::make_shared<Property<G, Vertex>>(graph, name);
        if (key.type() == typeid(EdgeOf))
          return boost::make_shared<Property<G, EdgeOf>>(graph, name);
        return nullptr;
      });
}

template <class G>
void read(std::string_view text, TopologyFormat format, G& graph) {
  boost::dynamic_properties properties = keep_all(graph);
  std::istringstream in{std::string(text)};
  if (format == TopologyFormat::graphml)
    boost::read_graphml(in, graph, properties);
  else
    boost::read_graphviz(in, graph, properties, "name");
}

// Boost's readers would recurse as deep as the file nests.
void check_depth(std::string_view text, TopologyFormat format, const std::string& name) {
  int depth = 0, deepest = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (format == TopologyFormat::dot) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    } else if (c == '<' && i + 1 < text.size()) {
      const bool closes = text[i + 1] == '/';
      const std::size_t end = text.find('>', i);
      const bool alone = end != std::string_view::npos && text[end - 1] == '/';
      const bool other = text[i + 1] == '?' || text[i + 1] == '!';
      depth += other || (alone && !closes) ? 0 : closes ? -1 : 1;
    }
    deepest = std::max(deepest, depth);
  }
  if (deepest > kDeepest)
    fail(Blame::usage,
         name + " nests " + std::to_string(deepest) + " levels deep: no network does");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// DOT reads 100Gbps or 1e9 without quotes as a number and then a word, which would be a silent
// error of many orders of magnitude.
void check_numbers(std::string_view text, const std::string& name) {
  const auto past = [&](std::size_t from, std::string_view end) {
    const std::size_t at = text.find(end, from);
    return at == std::string_view::npos ? text.size() : at + end.size();
  };
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      ++i;
    } else if (text.substr(i).starts_with("//") || text[i] == '#') {
      i = past(i, "\n");
    } else if (text.substr(i).starts_with("/*")) {
      i = past(i + 2, "*/");
    } else if (is_letter(text[i])) {
      while (is_letter(at(i)) || is_digit(at(i))) ++i;
    } else if (is_digit(text[i])) {
      const std::size_t begin = i;
      while (is_digit(at(i)) || at(i) == '.') ++i;
      if (!is_letter(at(i))) continue;
      while (is_letter(at(i)) || is_digit(at(i)) || at(i) == '/') ++i;
      const std::string word(text.substr(begin, i - begin));
      fail(Blame::usage, name + ": '" + word +
                             "' has no quotes, so DOT reads a number and a word: " + "write \"" +
                             word + "\"");
    } else {
      ++i;
    }
  }
}

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

Wire wire_of(const Attributes& edge, const std::string& what) {
  Wire wire{0, 0, "link"};
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

// Switches by how far they are from the nearest host, whatever the direction of links.
template <class G>
std::vector<int> levels_of(const G& graph, const std::vector<bool>& is_host) {
  std::vector<std::vector<std::size_t>> neighbours(is_host.size());
  for (const auto& edge : boost::make_iterator_range(edges(graph))) {
    neighbours[source(edge, graph)].push_back(target(edge, graph));
    neighbours[target(edge, graph)].push_back(source(edge, graph));
  }
  std::vector<int> level(is_host.size(), -1);
  std::vector<std::size_t> reached;
  for (std::size_t n = 0; n < is_host.size(); ++n)
    if (is_host[n]) level[n] = 0, reached.push_back(n);
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::size_t next : neighbours[reached[i]])
      if (level[next] < 0) level[next] = level[reached[i]] + 1, reached.push_back(next);
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

// Groups are numbered as they are met. All hosts have one, or none.
template <class G>
void add_groups(const G& graph, const std::vector<std::size_t>& hosts, const std::string& file,
                TopologyBuilder& builder) {
  std::map<std::string, std::int32_t> number;
  std::vector<std::int32_t> group_of;
  for (const std::size_t host : hosts)
    if (const std::string* group = graph[host].find("group"))
      group_of.push_back(
          number.emplace(*group, static_cast<std::int32_t>(number.size())).first->second);
  if (group_of.empty()) return;
  if (group_of.size() < hosts.size())
    fail(Blame::usage, file + ": some hosts have a group and some have none: give all of them one");
  builder.group_hosts("group", group_of);
}

template <class G>
Topology converted(const G& graph, const std::string& file, bool directed) {
  const std::size_t count = num_vertices(graph);
  std::vector<std::string> names;
  std::vector<bool> is_host;
  std::vector<std::size_t> hosts;
  for (std::size_t n = 0; n < count; ++n) {
    const std::string* name = graph[n].find("name");
    names.push_back(name ? *name : "n" + std::to_string(n));
    is_host.push_back(host_kind(graph[n], file + ": node '" + names[n] + "'"));
    if (is_host[n]) hosts.push_back(n);
  }
  const double links = static_cast<double>(num_edges(graph)) * (directed ? 1 : 2);
  TopologyBuilder builder(file, static_cast<double>(hosts.size()),
                          static_cast<double>(count - hosts.size()), links);
  std::vector<NodeId> id(count);
  const std::vector<int> levels = levels_of(graph, is_host);
  for (const std::size_t host : hosts) id[host] = builder.add_host(names[host]);
  for (std::size_t n = 0; n < count; ++n)
    if (!is_host[n]) id[n] = builder.add_switch(names[n], std::max(1, levels[n]));

  for (const auto& edge : boost::make_iterator_range(edges(graph))) {
    const std::size_t from = source(edge, graph), to = target(edge, graph);
    const std::string* name = graph[edge].find("name");
    const std::string ends = names[from] + "-" + names[to];
    const Wire wire = wire_of(graph[edge], file + ": link '" + (name ? *name : ends) + "'");
    builder.add_link(id[from], id[to], wire, name ? *name : "");
    if (!directed) builder.add_link(id[to], id[from], wire, name ? *name + " back" : "");
  }
  if (hosts.size() == count) builder.hosts_forward();
  add_groups(graph, hosts, file, builder);
  Topology made = std::move(builder).build();
  if (const auto gap = find_gap(made))
    fail(Blame::usage, file + " is not connected: " + text_of(*gap, made));
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
  if (text.size() > kMostBytes)
    fail(Blame::usage, name + " has over 64 MiB: give a smaller topology");
  check_depth(text, format, name);
  if (format == TopologyFormat::dot) check_numbers(text, name);
  const std::string_view word = format == TopologyFormat::dot ? "DOT" : "GraphML";
  const auto refuse = [&](const std::exception& e) {
    fail(Blame::usage,
         name + " is no " + std::string(word) + " file that can be read: " + e.what());
  };
  FileGraph<boost::directedS> directed;
  bool undirected = false;
  try {
    read(text, format, directed);
  } catch (const boost::undirected_graph_error&) {
    undirected = true;
  } catch (const std::exception& e) {
    refuse(e);
  }
  if (!undirected) return converted(directed, name, true);
  FileGraph<boost::undirectedS> cables;
  try {
    read(text, format, cables);
  } catch (const std::exception& e) {
    refuse(e);
  }
  return converted(cables, name, false);
}

}  // namespace arlab
