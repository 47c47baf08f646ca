// The bisection bandwidth: the least rate at which one half of the hosts can send to the other,
// over all equal halves (for an odd number, one host more in either).
//
// It is NP-hard, so it lies between two bounds that often meet:
// - at most: the least maximum flow between halves that were tried;
// - at least: what halves can send, whichever they are, if every message takes all of its shortest
//   routes in equal parts. Leighton, Introduction to Parallel Algorithms and Architectures, 1.9.
// If they do not meet, few enough halves are all tried; hosts alike in their links are
// exchangeable.
#pragma once

#include <span>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct Bisection {
  double least = 0, most = 0;  ///< bytes per second; 0 for `least`: too large to bound
  double in_order = 0;         ///< from the first half of the hosts, as listed, to the rest
  bool exact() const { return least == most; }
};

/// Returns the bisection of these hosts, at least two.
Bisection bisection(const Topology& topology, std::span<const Rank> hosts);

}  // namespace arlab::simulator
