// Routes computed from the coordinates of a structured network, without tables.
#pragma once

#include <cstdint>

#include "simulator/topologies/build/tree.hpp"
#include "simulator/topologies/routing/link_index.hpp"

namespace arlab::simulator {

/// Dimension order: corrects the first coordinate, then the second, ..., each in the shorter
/// direction (upwards if both are equal). Free of cycles on meshes and hypercubes. Sullivan,
/// Bashkow, 1977.
void walk_dimensions(RouteBuilder& route, const Grid& grid, Rank target);

/// D-mod-k: the target's digits select the up links, so that targets spread evenly over the
/// switches above. The route down is then unique except for parallel cables, which the source
/// selects. Zahavi 2010; SimGrid routes its fat trees in the same way.
void walk_d_mod_k(RouteBuilder& route, const TreeShape& shape, Rank source, Rank target);

/// Minimal: takes one global link to the target's group; `key` selects among equal links. Kim,
/// Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008.
void walk_minimal(RouteBuilder& route, const Dragonfly& shape, Rank target, std::uint64_t key);

/// Valiant: minimal to a third group that `key` selects, then minimal to the target. Minimal within
/// a group, and if there is no third group.
void walk_valiant(RouteBuilder& route, const Dragonfly& shape, Rank source, Rank target,
                  std::uint64_t key);

}  // namespace arlab::simulator
