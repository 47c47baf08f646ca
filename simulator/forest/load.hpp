// The load of a forest on the links of a network, under the routes that messages take.
#pragma once

#include "algorithms/forest.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

/// Returns the seconds per byte of the vector that the busiest link needs for an allreduce along
/// the trees: up and down each tree with its share of the vector. Without latency, an allreduce in
/// many segments takes this long if links are shared well. At least the time of equal shares, and
/// more only if routes meet on a link.
double busiest_link_seconds(const Forest& forest, const Fabric& fabric);

}  // namespace arlab::simulator
