// Topologies from files: GraphML and DOT (Graphviz), read by Boost.Graph.
//
// A node has kind=host or kind=switch, and may have a name (GraphML; DOT's node ids are names) and,
// if a host, a group. An edge has bandwidth and latency, with units (100Gbps, 1us) or as plain
// bytes a second and seconds, and may have a name. Undirected edges are cables: a link each way.
// Hosts pass messages on only where there is no switch at all. Text only: this library opens no
// files.
#pragma once

#include <string>
#include <string_view>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

enum class TopologyFormat { graphml, dot };

/// Whether a spec is a file's name rather than a topology's: by its ending (.graphml, .xml; .dot,
/// .gv).
bool is_topology_file(std::string_view spec);

/// `name` is the file's, for its format and for messages. Throws Error(usage) for whatever is
/// wrong: syntax, a missing or impossible bandwidth or latency, a name that occurs twice, hosts
/// that cannot reach each other.
Topology parse_topology(std::string_view text, const std::string& name);
Topology parse_topology(std::string_view text, const std::string& name, TopologyFormat format);

}  // namespace arlab::simulator
