// ParsedGraph: the contents of a file of a network: nodes and edges in the order of the file, and
// their attributes as text, not yet interpreted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/import/file.hpp"

namespace arlab::simulator {

struct FileSettings;

/// The attributes of a node or an edge.
struct Attributes {
  std::map<std::string, std::string, std::less<>> values;

  const std::string* find(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
};

struct ParsedGraph {
  struct Node {
    std::string id;
    Attributes attributes;
  };
  struct Edge {
    std::size_t from = 0, to = 0;
    bool directed = false;
    Attributes attributes;
    std::size_t line = 0;  ///< of the file; 0: unknown
  };
  std::vector<Node> nodes;  ///< by first appearance
  std::vector<Edge> edges;
};

/// Parses the text. `name` is the file's name, for messages. Throws Error(usage) for wrong syntax,
/// a file over 64 MiB, and one that nests too deep.
ParsedGraph parse_graph(std::string_view text, const std::string& name, TopologyFormat format);

/// Returns the topology of a graph, with what the settings add. Throws as parse_topology.
Topology to_topology(const ParsedGraph& graph, const std::string& spec, FileSettings settings);

/// The parsers of the two formats, for text without a byte order mark. `name` as above.
ParsedGraph parse_dot(std::string_view text, const std::string& name);
ParsedGraph parse_graphml(std::string_view text, const std::string& name);

inline constexpr int kMostNested = 100;             ///< levels of a file
inline constexpr std::size_t kMostEdges = 1 << 22;  ///< of a file

}  // namespace arlab::simulator
