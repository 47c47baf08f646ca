// The picture of a topology, as SVG.
#pragma once

#include <string>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::bench {

/// Switches above hosts where there are switches, grids as grids, all else on a circle. Cables of
/// higher bandwidth are wider; each tier has its colour. Throws Error(usage) for more nodes or
/// cables than an eye can tell apart.
std::string svg_of(const simulator::Topology& topology);

}  // namespace arlab::bench
