// Distances of all nodes to a target: fewest hops first, then lowest latency.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <limits>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct Distance {
  std::int32_t hops = 0;
  Time latency{};
  bool operator==(const Distance&) const = default;
  // Not <=>: libc++ 16, which compiles this for the browser, has none for durations.
  bool operator<(const Distance& other) const {
    return hops != other.hops ? hops < other.hops : latency < other.latency;
  }

  bool reachable() const { return hops != std::numeric_limits<std::int32_t>::max(); }
};

inline constexpr Distance kUnreachable{std::numeric_limits<std::int32_t>::max(), Time::max()};

/// The distance plus one link.
inline Distance operator+(const Distance& d, const Link& link) {
  return d.reachable() ? Distance{d.hops + 1, d.latency + link.latency} : kUnreachable;
}

/// Returns whether a message to `target` may take this link: hosts forward messages only if the
/// topology allows it.
inline bool usable(const Topology& topology, const Link& link, NodeId target) {
  return link.to == target || topology.forwards(link.to);
}

/// Returns whether messages between some hosts may take this link: they pass no other host that
/// does not forward. `is_one` says by node whether it is one of them.
inline bool usable_among(const Topology& topology, const Link& link,
                         const std::vector<bool>& is_one) {
  const auto passes = [&](NodeId node) {
    return is_one[static_cast<std::size_t>(node)] || topology.forwards(node);
  };
  return passes(link.from) && passes(link.to);
}

/// Returns the distance of each node to `target`; kUnreachable if there is no path.
std::vector<Distance> distances_to(const Topology& topology, NodeId target);

/// Distances to nodes of a topology, found on first use and kept for all that ask, on any thread.
class KeptDistances {
 public:
  explicit KeptDistances(NodeId nodes) : to_(static_cast<std::size_t>(nodes)) {}
  KeptDistances(const KeptDistances&) = delete;
  KeptDistances& operator=(const KeptDistances&) = delete;
  ~KeptDistances();

  /// Returns distances_to(topology, target) of the topology whose these are.
  const std::vector<Distance>& to(const Topology& topology, NodeId target) const;

 private:
  mutable std::vector<std::atomic<const std::vector<Distance>*>> to_;
};

/// Returns the link into a host that has only one, from a forwarding node: the host is one hop
/// farther than that node. -1 for other hosts.
LinkId only_link_to(const Topology& topology, Rank host);

}  // namespace arlab::simulator
