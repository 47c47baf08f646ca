// Bounds of small networks by trying every partition and every cut, to compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/bounds/fraction.hpp"

namespace arlab::simulator::by_force {

/// All partitions of n things, as the group of each.
inline std::vector<std::vector<std::size_t>> partitions(std::size_t n) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& p : all) {
      const std::size_t groups = p.empty() ? 0 : *std::max_element(p.begin(), p.end()) + 1;
      for (std::size_t g = 0; g <= groups; ++g) {
        longer.push_back(p);
        longer.back().push_back(g);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The capacity of the links between hosts and switches that enter the cheapest set of nodes with
/// exactly these hosts.
inline std::int64_t cheapest_entry(const CapacityGraph& graph, const std::vector<bool>& hosts) {
  std::vector<NodeId> switches;
  for (NodeId n = 0; n < graph.nodes; ++n)
    if (!graph.is_host[std::size_t(n)]) switches.push_back(n);
  std::int64_t least = -1;
  for (unsigned mask = 0; mask < 1u << switches.size(); ++mask) {
    std::vector<bool> outside(std::size_t(graph.nodes), true);
    for (std::size_t i = 0; i < graph.hosts.size(); ++i)
      outside[std::size_t(graph.hosts[i])] = !hosts[i];
    for (std::size_t s = 0; s < switches.size(); ++s)
      if (mask >> s & 1) outside[std::size_t(switches[s])] = false;
    const std::int64_t capacity = capacity_out_of(graph, outside);
    least = least < 0 ? capacity : std::min(least, capacity);
  }
  return least;
}

/// The time of an allreduce by the tightest partition or single group, of a symmetric graph.
inline Fraction allreduce_time(const CapacityGraph& graph) {
  Fraction best;
  for (const auto& partition : partitions(graph.hosts.size())) {
    const std::size_t k = *std::max_element(partition.begin(), partition.end()) + 1;
    if (k < 2) continue;
    std::int64_t sum = 0;
    for (std::size_t g = 0; g < k; ++g) {
      std::vector<bool> group;
      for (const std::size_t of : partition) group.push_back(of == g);
      const std::int64_t flow = cheapest_entry(graph, group);
      best = std::max(best, ratio(1, flow));
      sum += flow;
    }
    best = std::max(best, ratio(2 * (std::int64_t(k) - 1), sum));
  }
  return best;
}

/// The time of an all-gather per shard by every set of nodes that lacks a host.
inline Fraction all_gather_ratio(const CapacityGraph& graph) {
  Fraction best;
  for (unsigned mask = 0; mask < 1u << graph.nodes; ++mask) {
    std::vector<bool> nodes;
    std::int64_t hosts = 0;
    for (NodeId n = 0; n < graph.nodes; ++n) {
      nodes.push_back(mask >> n & 1);
      hosts += nodes.back() && graph.is_host[std::size_t(n)] ? 1 : 0;
    }
    if (hosts > 0 && hosts < std::int64_t(graph.hosts.size()))
      best = std::max(best, ratio(hosts, capacity_out_of(graph, nodes)));
  }
  return best;
}

}  // namespace arlab::simulator::by_force
