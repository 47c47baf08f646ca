// Link faults: slow and dead links.
//
// A link is named as tables name it, "h0-edge0", or by the nodes on both its ends, "h0--edge0",
// which takes the links of both directions. Routes avoid dead links; what is cut off is an error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct LinkFault {
  std::string link;
  double slower = 0;  ///< so many times slower; 0: dead
};

/// "dead=h0-edge0" or "slow=h0--edge0:4" (a quarter of the bandwidth). Throws Error(usage) that
/// names the text.
LinkFault parse_fault(std::string_view text);

/// The topology with these links slower or gone. Without dead links its structure stays; with them
/// routes must be found in the graph (shortest, ecmp). Throws Error(usage) for a link that does not
/// exist, and when hosts are cut off: it names them and the fewest dead links that do it.
Topology with_faults(const Topology& topology, std::span<const LinkFault> faults);

}  // namespace arlab::simulator
