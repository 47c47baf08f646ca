// Topologies from GraphML and DOT (Graphviz) files, read by Boost.Graph.
//
// A node has kind=host or kind=switch. It may have a name (GraphML; DOT's node ids are names) and,
// if it is a host, a group. An edge has bandwidth and latency, with units (100Gbps, 1us) or as
// plain bytes per second and seconds, and may have a name. Undirected edges are cables: one link
// each way. Hosts forward messages only if there are no switches. The caller reads the file: this
// library parses text only.
#pragma once

#include <string>
#include <string_view>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

enum class TopologyFormat { graphml, dot };

/// Returns whether a spec is the name of a file, by its extension (.graphml, .xml; .dot, .gv).
bool is_topology_file(std::string_view spec);

/// Parses a topology. `name` is the file's name, which determines the format and is quoted in
/// messages. Throws Error(usage) for wrong syntax, a missing or impossible bandwidth or latency, a
/// duplicate name, and hosts that cannot reach each other.
Topology parse_topology(std::string_view text, const std::string& name);
Topology parse_topology(std::string_view text, const std::string& name, TopologyFormat format);

}  // namespace arlab::simulator
