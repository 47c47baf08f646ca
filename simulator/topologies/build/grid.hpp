// Grids: tori, meshes, rings and hypercubes. Hosts are connected directly and forward messages.
#pragma once

#include <string>
#include <vector>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

/// Builds a grid of hosts h0, h1, ... whose first dimension varies fastest. A wrapped dimension of
/// two hosts has one cable, not two. Groups are the planes of three dimensions or the rows of two.
Topology make_grid(const std::string& spec, const Grid& grid, double bandwidth, Time latency);

/// Returns the smallest dimensions that hold the given number of hosts, the longest first. No
/// dimension is more than twice as long as another.
std::vector<std::int32_t> balanced_dimensions(Rank hosts, int dimensions);

/// Returns the common part of tori and meshes, without name, summary and source. `wrapped`: a
/// torus.
TopologyKind grid_kind(bool wrapped);

/// Returns dimensions as text: "8x8x4".
std::string to_string(const std::vector<std::int32_t>& dimensions);

}  // namespace arlab::simulator
