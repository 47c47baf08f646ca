// Link faults: slow and dead links.
//
// A fault names a link as in tables, "h0-edge0", or by the nodes at both ends, "h0--edge0", which
// selects the links of both directions. Routes avoid dead links. Disconnected hosts are an error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct LinkFault {
  std::string link;
  double slower = 0;  ///< factor by which the link is slower; 0: dead
};

/// Parses "dead=h0-edge0" or "slow=h0--edge0:4" (a quarter of the bandwidth). Throws Error(usage)
/// that names the text.
LinkFault parse_fault(std::string_view text);

/// Returns the links of that name, or the links between two nodes. Throws Error(usage) if there are
/// none.
std::vector<LinkId> links_named(const Topology& topology, std::string_view name);

/// Returns the topology with slower and without dead links. It keeps its structure only without
/// dead links; with them only the routings shortest and ecmp remain. Throws Error(usage) if a link
/// does not exist, and if hosts are disconnected: the error names them and the dead links on the
/// minimum cut.
Topology with_faults(const Topology& topology, std::span<const LinkFault> faults);

}  // namespace arlab::simulator
