// ParsedGraph: the contents of a GraphML or DOT file: nodes, edges and their attributes as text,
// not yet interpreted. Read by Boost.Graph.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/import/file.hpp"

namespace arlab::simulator {

/// The attributes of a node or an edge.
struct Attributes {
  std::map<std::string, std::string, std::less<>> values;

  const std::string* find(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
};

struct ParsedGraph {
  struct Edge {
    std::size_t from = 0, to = 0;
    Attributes attributes;
  };
  bool directed = false;
  std::vector<Attributes> nodes;
  std::vector<Edge> edges;
};

/// Parses the text. `name` is the file's name, for messages. Throws Error(usage) for wrong syntax,
/// and for input that Boost's readers would misread silently or that would exhaust their stack.
ParsedGraph parse_graph(std::string_view text, const std::string& name, TopologyFormat format);

/// Rejects input that Boost's readers cannot handle: deep nesting, and unquoted numbers with units
/// (DOT).
void check_text(std::string_view text, const std::string& name, TopologyFormat format);

}  // namespace arlab::simulator
