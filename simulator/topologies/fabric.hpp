// Fabric: a topology in use: how messages are routed on it, and which rank runs on which host.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/topologies/routing.hpp"
#include "simulator/topologies/topology.hpp"

namespace arlab {

struct Fabric {
  const Topology& topology;
  Routing routing = Routing::automatic;
  std::uint64_t seed = 0;
  std::vector<Rank> host_of;  ///< of each rank
};

}  // namespace arlab
