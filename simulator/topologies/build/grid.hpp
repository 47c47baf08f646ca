// Grids: tori, meshes, rings and hypercubes, whose hosts are joined directly and pass messages on.
#pragma once

#include <string>
#include <vector>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

/// Hosts h0, h1, ... with the first dimension the fastest. A wrapped dimension of two hosts has one
/// cable, not two. From three dimensions' planes, or two dimensions' rows, come the groups.
Topology make_grid(const std::string& spec, const Grid& grid, double bandwidth, Time latency);

/// The smallest dimensions that hold so many hosts with no dimension over twice as long as another,
/// the longest first.
std::vector<std::int32_t> balanced_dimensions(Rank hosts, int dimensions);

/// What tori and meshes have in common: all but name, idea and source. `wrapped`: a torus.
TopologyKind grid_kind(bool wrapped);

/// "8x8x4".
std::string text_of(const std::vector<std::int32_t>& dimensions);

}  // namespace arlab::simulator
