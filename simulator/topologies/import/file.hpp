// Topologies from GraphML and DOT (Graphviz) files.
//
// A node has kind=host or kind=switch, and a host may have a group. Its name is its id. An edge has
// bandwidth and latency, with units (100Gbps, 1us), and may have a name. Instead of bandwidth,
// edges may have LinkSpeedRaw in bit/s, or LinkSpeed and LinkSpeedUnits, as in the Topology Zoo.
// Undirected edges are cables: one link each way. Hosts are ranks in the order of the file.
//
// Hosts forward messages if there are no switches, or if hosts could not reach each other
// otherwise. forwards=yes or no at hosts decides it for each. The caller reads the file: this
// library parses text only.
//
// A spec is the name of a file and, after a colon, what the file leaves out:
// "net.graphml:kind=host,bandwidth=10Gbps,latency=1us". With bandwidth_unit and latency_unit,
// numbers without a unit are read, too.
#pragma once

#include <string>
#include <string_view>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

enum class TopologyFormat { graphml, dot };

inline constexpr std::string_view kFilePrefix = "file:";

/// Returns the name of the file in a spec: after "file:", or what ends as networks' files do
/// (.graphml, .xml, .dot, .gv, .yml, .yaml, .txt); empty if the spec is not of a file.
std::string_view topology_file(std::string_view spec);
inline bool is_topology_file(std::string_view spec) { return !topology_file(spec).empty(); }

/// Throws Error(usage) if a topology that is in no catalog looks like a file: says how to name one.
void refuse_other_files(std::string_view spec);

/// Parses a topology. The spec's file determines the format and is quoted in messages. Throws
/// Error(usage) for an unknown setting, wrong syntax, a missing or impossible bandwidth or latency,
/// a number without a unit, a duplicate name, and hosts that cannot reach each other.
Topology parse_topology(std::string_view text, const std::string& spec);
Topology parse_topology(std::string_view text, const std::string& spec, TopologyFormat format);

}  // namespace arlab::simulator
