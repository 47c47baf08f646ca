#include "simulator/topologies/import/parsed_graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <limits>
#include <memory>
#include <sstream>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

template <class Direction>
using FileGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, Direction, Attributes, Attributes>;

// Returns a GraphML value of any type as text.
std::string to_string(const boost::any& value) {
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

// Stores one property of all nodes, or of all edges, in their Attributes.
template <class G, class Key>
class Property : public boost::dynamic_property_map {
 public:
  Property(G& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  void put(const boost::any& key, const boost::any& value) override {
    graph_[boost::any_cast<Key>(key)].values[name_] = to_string(value);
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

// Stores all properties of nodes and edges, but not of the whole graph.
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
ParsedGraph read(std::string_view text, TopologyFormat format, bool directed) {
  G graph;
  boost::dynamic_properties properties = keep_all(graph);
  std::istringstream in{std::string(text)};
  if (format == TopologyFormat::graphml)
    boost::read_graphml(in, graph, properties);
  else
    boost::read_graphviz(in, graph, properties, "name");
  ParsedGraph parsed{directed, {}, {}};
  for (const auto& node : boost::make_iterator_range(vertices(graph)))
    parsed.nodes.push_back(std::move(graph[node]));
  for (const auto& edge : boost::make_iterator_range(edges(graph)))
    parsed.edges.push_back({source(edge, graph), target(edge, graph), std::move(graph[edge])});
  return parsed;
}

}  // namespace

ParsedGraph parse_graph(std::string_view text, const std::string& name, TopologyFormat format) {
  check_text(text, name, format);
  try {
    try {
      return read<FileGraph<boost::directedS>>(text, format, true);
    } catch (const boost::undirected_graph_error&) {
      return read<FileGraph<boost::undirectedS>>(text, format, false);
    }
  } catch (const std::exception& e) {
    const std::string word = format == TopologyFormat::dot ? "DOT" : "GraphML";
    fail(Blame::usage, name + " is not a readable " + word + " file: " + e.what());
  }
}

}  // namespace arlab::simulator
