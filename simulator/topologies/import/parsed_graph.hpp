// ParsedGraph: what a GraphML or DOT file says, before it means anything: nodes, edges and their
// attributes as text. Read by Boost.Graph.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/import/file.hpp"

namespace arlab::simulator {

/// What a file says of a node or an edge.
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

/// `name` is the file's, for messages. Throws Error(usage) for wrong syntax, and for what Boost's
/// readers would get silently wrong or exhaust the stack with.
ParsedGraph read_raw_graph(std::string_view text, const std::string& name, TopologyFormat format);

/// The second part of that: nesting, and numbers with units that have no quotes (DOT).
void check_text(std::string_view text, const std::string& name, TopologyFormat format);

}  // namespace arlab::simulator
