// Draws a topology as SVG.
#pragma once

#include <string>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::bench {

/// Returns the picture: switches above hosts, grids as grids, all other topologies as circles.
/// Cables of higher bandwidth are wider; each tier has a color. Throws Error(usage) for too many
/// nodes or cables.
std::string svg_of(const simulator::Topology& topology);

}  // namespace arlab::bench
