// Metrics: what a network is like before anything runs on it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct TierMetrics {
  std::string name;
  Count links = 0;                  ///< directed; a cable is two
  double slowest = 0, fastest = 0;  ///< bytes a second
  Time shortest{}, longest{};
};

struct Metrics {
  Rank hosts = 0;
  Count switches = 0, links = 0;
  /// Links on the shortest way from host to host: at most, and on average over all pairs.
  std::int32_t diameter = 0;
  double average_distance = 0;
  Time longest_latency{};  ///< of these ways
  bool sampled = false;      ///< not all targets were looked at: the diameter may be larger
  /// The most that the first half of the hosts, in the order of ranks, can send to the rest at
  /// once.
  double bisection = 0;  ///< bytes a second
  std::string halves;    ///< "h0 ... h7 to h8 ... h15"
  double per_host = 0;   ///< bisection by the hosts of the smaller half
  std::string gap;       ///< "h1 cannot reach h0", or empty
  std::vector<TierMetrics> tiers;
};

/// `host_of`: the host of each rank; all hosts in order when empty.
Metrics metrics(const Topology& topology, std::span<const Rank> host_of = {});

/// The bisection alone, as above. Maximum flow.
double bisection(const Topology& topology, std::span<const Rank> host_of = {});

}  // namespace arlab::simulator
