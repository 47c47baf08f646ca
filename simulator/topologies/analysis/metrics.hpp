// Metrics: static properties of a topology: size, distances, bisection bandwidth.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct TierMetrics {
  std::string name;
  Count links = 0;                  ///< directed; a cable is two
  double slowest = 0, fastest = 0;  ///< bytes per second
  Time shortest{}, longest{};
};

struct Metrics {
  Rank hosts = 0;
  Count switches = 0, links = 0;
  /// Links on the shortest path between two hosts: the maximum, and the average over all pairs.
  std::int32_t diameter = 0;
  double average_distance = 0;
  Time longest_latency{};      ///< of these paths
  bool sampled = false;        ///< only some targets were examined: the diameter may be larger
  double bisection = 0;        ///< bytes per second, at most (analysis/bisection.hpp)
  double bisection_bound = 0;  ///< at least; the same if it is exact, 0 if it is not bounded
  /// The maximum rate at which the first half of the hosts, in the order of ranks, can send to the
  /// rest.
  double first_half = 0;
  std::string halves;         ///< "h0 ... h7 to h8 ... h15"
  double per_host = 0;        ///< first_half per host of the smaller half
  std::string disconnection;  ///< "h1 cannot reach h0", or empty
  std::vector<TierMetrics> tiers;
};

/// Returns the metrics for the given host of each rank; for all hosts in order if `host_of` is
/// empty.
Metrics metrics(const Topology& topology, std::span<const Rank> host_of = {});

}  // namespace arlab::simulator
