// NetworkBounds: how fast a collective could be at all on a network.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "algorithms/problem.hpp"
#include "simulator/bounds/all_gather.hpp"
#include "simulator/bounds/allreduce.hpp"
#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct NetworkBounds {
  CapacityGraph graph{};
  RatioCut all_gather{}, reduce_scatter{};  ///< the nodes of reduce_scatter receive
  bool reached = true;  ///< whether these are optima; bounds if a switch has more in than out
  std::int64_t trees_per_root = 0;  ///< of an optimal all-gather
  AllreduceBound allreduce{};
  bool adds = false;     ///< whether switches add, which the bound of an allreduce knows
  bool tightest = true;  ///< whether all partitions of the hosts were searched, or the bound is met
  bool optimal = false;  ///< whether trees reach the bound of an allreduce: see allreduce.hpp
  /// What an allreduce reaches by an optimal reduce-scatter and an optimal all-gather: the factor
  /// of the time, as in AllreduceBound. Rounded up, by less than 1e-6, if it needs more than 64
  /// bits.
  Fraction equal_shares{};
  Time latency{};  ///< the longest of the fastest paths between two hosts
  NodeId latency_from = 0, latency_to = 0;

  Rank hosts() const { return static_cast<Rank>(graph.hosts.size()); }
  /// Return rates in bytes per second: bytes of the whole (gathered) vector by time.
  double all_gather_rate() const;
  double reduce_scatter_rate() const;
  double allreduce_rate() const { return graph.unit / allreduce.time.value(); }
  double equal_shares_rate() const { return graph.unit / equal_shares.value(); }
};

/// Returns the bounds for the given host of each rank; for all hosts in order if `host_of` is
/// empty. If equal shares do not meet the bound of an allreduce, all partitions are searched for up
/// to `max_searched` hosts. Throws Error(usage) for one host, or if hosts cannot reach each other.
NetworkBounds network_bounds(const Topology& topology, std::span<const Rank> host_of = {},
                             Rank max_searched = 512);

/// Returns the rate, in bytes per second, at which `from` can send one vector to all other hosts:
/// by Edmonds' theorem the least maximum flow. Takes a maximum flow per host.
double broadcast_rate(const CapacityGraph& graph, NodeId from);

/// Returns a time in microseconds that no run of the problem on this network can beat. For
/// allreduce a bound, for the other collectives the optimum, apart from latency (where `reached`).
double least_microseconds(const NetworkBounds& bounds, const Problem& problem, Bytes element_size);

/// Return in words what limits the collective: "7 of 8 shards into h0 through 2 links, 25 GB/s".
std::string all_gather_limit(const NetworkBounds& bounds, const Topology& topology);
std::string reduce_scatter_limit(const NetworkBounds& bounds, const Topology& topology);
std::string allreduce_limit(const NetworkBounds& bounds, const Topology& topology);

}  // namespace arlab::simulator
