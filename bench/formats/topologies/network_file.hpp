// Networks that other programs write: which format a text is, and the topology in it.
//
//   NCCL          <system>: what NCCL found in a machine, NCCL_TOPO_DUMP_FILE
//   nvidia-smi    the matrix of `nvidia-smi topo -m`
//   SimGrid       <platform>
//   ASTRA-sim     topology, npus_count, bandwidth, latency (analytical); nodes and links (ns-3)
//
// GraphML and DOT are the simulator's own (simulator/topologies/import/file.hpp).
#pragma once

#include <string>

#include "bench/formats/topologies/network_text.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/import/file_settings.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::bench {

/// Returns the topology in a text. The spec is that of --network: the file's name, and settings.
/// Throws Error(usage) that names file and line, and what to do.
simulator::Topology read_network(const std::string& text, const std::string& spec);

/// The parsers of each format. They throw Error(usage).
simulator::ParsedGraph parse_astra_dimensions(const NetworkText& text);
simulator::ParsedGraph parse_astra_links(const NetworkText& text);
simulator::ParsedGraph parse_nvidia_smi(const NetworkText& text, simulator::FileSettings& settings);
simulator::ParsedGraph parse_nccl_machine(const NetworkText& text,
                                          simulator::FileSettings& settings);
simulator::ParsedGraph parse_simgrid(const NetworkText& text);

}  // namespace arlab::bench
