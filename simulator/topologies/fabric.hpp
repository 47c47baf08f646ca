// Fabric: the network of a simulation: a topology, its routing, and the host of each rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"
#include "algorithms/rank_symmetry.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/fabric_spec.hpp"
#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::simulator {

struct Fabric {
  Topology topology;
  Routing routing = Routing::automatic;
  std::uint64_t seed = 0;       ///< for ecmp and valiant
  std::vector<Rank> host_of{};  ///< of each rank
  std::int32_t flows = 1;       ///< of each message, with hashes of their own
};

/// Builds the fabric. Throws Error(usage) that names the invalid part.
std::shared_ptr<const Fabric> build_fabric(const FabricSpec& spec, Rank ranks);

/// Throws Error(usage) that names the model if messages are to take several routes.
void expect_one_route(const Fabric& fabric, std::string_view model);

/// Returns the ranks by groups of hosts; null if the topology has no groups.
std::shared_ptr<const Groups> groups_of(const Fabric& fabric);

/// Returns the ranks as the grid that the topology is; null if it is none, or if rank r is not on
/// host r.
std::shared_ptr<const RankGrid> grid_of(const Fabric& fabric);

/// Returns the shifts of ranks along the dimensions of a grid or within the levels of a tree, with
/// as many hosts as ranks. Whether they map routes onto routes depends on links and placement.
std::optional<RankSymmetry> shifts_along(const Fabric& fabric);

/// Returns the link loads up to `now`, given the bytes carried by each link.
std::vector<LinkLoad> loads_of(const Topology& topology, std::span<const double> carried, Time now);

/// Returns the average number of links between two ranks: over all pairs of few ranks, or over a
/// sample.
double average_route(const Fabric& fabric);

}  // namespace arlab::simulator
