// How far every node is from a target: fewest hops first, then least latency.
#pragma once

#include <compare>
#include <limits>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct Distance {
  std::int32_t hops = 0;
  Time latency{};
  auto operator<=>(const Distance&) const = default;

  bool reachable() const { return hops != std::numeric_limits<std::int32_t>::max(); }
};

inline constexpr Distance kUnreachable{std::numeric_limits<std::int32_t>::max(),
                                       Time::max()};

/// One more link.
inline Distance operator+(const Distance& d, const Link& link) {
  return d.reachable() ? Distance{d.hops + 1, d.latency + link.latency} : kUnreachable;
}

/// Whether a message to `target` may take this link: hosts pass messages on only if the topology
/// says so.
inline bool usable(const Topology& topology, const Link& link, NodeId target) {
  return link.to == target || !topology.is_host(link.to) || topology.hosts_forward();
}

/// By node; kUnreachable where there is no way.
std::vector<Distance> distances_to(const Topology& topology, NodeId target);

/// The link into a host that has only one, from a node that passes messages on: the host is as far
/// as that node and one hop. -1 for other hosts.
LinkId only_link_to(const Topology& topology, Rank host);

}  // namespace arlab::simulator
