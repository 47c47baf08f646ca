// Routes that follow from the structure of a network: computed from coordinates, without tables.
#pragma once

#include <cstdint>

#include "simulator/topologies/build/tree.hpp"
#include "simulator/topologies/routing/link_index.hpp"

namespace arlab::simulator {

/// Dimension order: corrects the first coordinate, then the second, ..., each the shorter way
/// round; half way round goes up. Free of cycles on meshes and hypercubes. Sullivan, Bashkow, 1977.
void walk_dimensions(RouteBuilder& trail, const Grid& grid, Rank target);

/// D-mod-k: up links are named by the target's digits, so that targets spread evenly over the
/// switches above; the way down is then fixed but for parallel cables, named by the source. Zahavi
/// 2010, as SimGrid routes its fat trees.
void walk_d_mod_k(RouteBuilder& trail, const TreeShape& shape, Rank source, Rank target);

/// To the target's group by one global link, `key` choosing among equals. Kim, Dally, Scott, Abts,
/// Technology-driven, highly-scalable dragonfly topology, ISCA 2008.
void walk_minimal(RouteBuilder& trail, const Dragonfly& shape, Rank target, std::uint64_t key);

/// Valiant: minimal to a third group that `key` chooses, then minimal to the target; minimal within
/// a group, and where there is no third group.
void walk_valiant(RouteBuilder& trail, const Dragonfly& shape, Rank source, Rank target,
                  std::uint64_t key);

}  // namespace arlab::simulator
