// Fabric: what messages travel on: a topology, the routes on it, and the host of each rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/groups.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/fabric_spec.hpp"
#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::simulator {

struct Fabric {
  Topology topology;
  Routing routing = Routing::automatic;
  std::uint64_t seed = 0;       ///< of ecmp and valiant
  std::vector<Rank> host_of{};  ///< of each rank
};

/// From words. Throws Error(usage) that names the bad one.
std::shared_ptr<const Fabric> build_fabric(const FabricSpec& spec, Rank ranks);

/// The ranks whose hosts belong together; null where the topology has no groups.
std::shared_ptr<const Groups> groups_of(const Fabric& fabric);

/// What the links have carried up to `now`, given their bytes by number.
std::vector<LinkLoad> loads_of(const Topology& topology, std::span<const double> carried, Time now);

/// Links on the way from rank to rank, on average: over all pairs where there are few ranks, else
/// over some of them.
double average_route(const Fabric& fabric);

}  // namespace arlab::simulator
