// RouteClasses: the shifts of ranks under which an algorithm and a network both look the same.
//
// An algorithm states under which shifts its ranks behave alike. A network may map its routes onto
// one another under some of these only: a fat tree under shifts by whole leaves, a torus under
// those that are shifts of its coordinates. Each digit is shifted by the smallest number that does.
// A structure proves it, or, on few ranks, the routes of all pairs.
#pragma once

#include <optional>
#include <span>

#include "algorithms/base/error.hpp"
#include "algorithms/rank_symmetry.hpp"
#include "simulator/topologies/routing/link_orbits.hpp"
#include "simulator/topologies/routing/route_images.hpp"

namespace arlab::simulator {

struct RouteClasses {
  RankSymmetry symmetry;
  LinkOrbits links;

  /// Returns how many of the messages that the shifts map onto one another cross a link, for each
  /// link of its orbit that one of them crosses.
  Count crossings(std::int32_t orbit) const {
    expects(symmetry.shifts() % links.size(orbit) == 0, "shifts map links onto links as a group");
    return symmetry.shifts() / links.size(orbit);
  }
};

/// Returns the largest part of `symmetry`, by digits, whose shifts map routes onto routes. host_of:
/// of each rank. Returns nothing if no rank stands for another one then.
std::optional<RouteClasses> find_route_classes(const RankSymmetry& symmetry,
                                               const Topology& topology, Router& router,
                                               std::span<const Rank> host_of);

}  // namespace arlab::simulator
