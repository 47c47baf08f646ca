// Slow routes: what pairs that are slow, while their ranks are not, have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/hunt/search/finding.hpp"

namespace arlab::hunt {

/// A pair that was too slow in every pass of the scan.
struct SlowRoute {
  DirectedTime time;
  bool is_confirmed = false;  ///< slow also with little else under way; else it was not tried
};

/// Returns links, ports and groups. A single pair is a link. Pairs that hang together, through
/// their ranks or through the groups of these, are a port if all of them have one rank, or else a
/// group: a cable between switches is in the way of many pairs, with a hash of some.
std::vector<Finding> slow_routes(std::span<const SlowRoute> routes,
                                 std::span<const std::int32_t> group_of, Quantity quantity);

}  // namespace arlab::hunt
