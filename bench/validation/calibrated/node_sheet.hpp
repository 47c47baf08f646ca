// Node sheet: what the data sheet of a machine says about a node whose ranks share it.
//
// It is used only where a node has several ranks; a single rank's rates are calibrated.
#pragma once

#include <string_view>

namespace arlab::simulator {

struct NodeSheet {
  double memory_gb_per_s = 200;  ///< all channels
  double cache_mb = 64;          ///< of the last level, of all sockets
  int cards = 1;                 ///< to the network
};

/// Returns the sheet of a machine that is known, otherwise that of a usual node.
NodeSheet node_sheet(std::string_view system);

}  // namespace arlab::simulator
