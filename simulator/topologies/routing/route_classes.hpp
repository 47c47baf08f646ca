// RouteClasses: the shifts of ranks under which an algorithm and a network both look the same.
//
// An algorithm states under which shifts its ranks behave alike. A network may map its routes onto
// one another under some of these only: a fat tree under shifts by whole leaves, a torus under
// those that are shifts of its coordinates. Each digit is shifted by the smallest number that does.
// A structure proves it, or the routes of all messages, if these are few. Then what a hash chooses
// for one message need not be what it chooses for another, as long as links that carry the same
// messages have images that do.
#pragma once

#include <optional>
#include <span>

#include "algorithms/base/error.hpp"
#include "algorithms/rank_symmetry.hpp"
#include "simulator/network.hpp"
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
/// of each rank. peers_of: of the ranks that represent their classes. Returns nothing if no rank
/// stands for another one then.
std::optional<RouteClasses> find_route_classes(const RankSymmetry& symmetry,
                                               const Topology& topology, Router& router,
                                               std::span<const Rank> host_of,
                                               const PeersOf& peers_of);

}  // namespace arlab::simulator
