#include "simulator/bounds/network_bounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/stop.hpp"
#include "simulator/topologies/analysis/flow.hpp"
#include "simulator/topologies/routing/adding_tree.hpp"

namespace arlab::simulator {
namespace {

// The hosts of each group of the topology, such as a node; nothing without groups.
std::vector<std::vector<NodeId>> groups_of(const Topology& topology, const CapacityGraph& graph) {
  std::vector<std::vector<NodeId>> groups(static_cast<std::size_t>(topology.groups()));
  if (groups.empty()) return groups;
  for (const NodeId host : graph.hosts)
    groups[static_cast<std::size_t>(topology.group_of(host))].push_back(host);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

// The hosts by the parts of the network within which switches add: what they join is one group.
std::vector<std::vector<NodeId>> groups_within_which_switches_add(const Topology& topology,
                                                                  const CapacityGraph& graph) {
  std::vector<NodeId> leader(index(graph.nodes));
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](NodeId node) {
    while (leader[index(node)] != node) node = leader[index(node)];
    return node;
  };
  for (const CapacityArc& arc : graph.arcs) {
    const bool from = topology.node(arc.from).adds.has_value(),
               to = topology.node(arc.to).adds.has_value();
    if ((from && (to || graph.is_host[index(arc.to)])) ||
        (to && graph.is_host[index(arc.from)]))
      leader[index(find(arc.from))] = find(arc.to);
  }
  std::map<NodeId, std::vector<NodeId>> by_leader;
  for (const NodeId host : graph.hosts) by_leader[find(host)].push_back(host);
  std::vector<std::vector<NodeId>> groups;
  for (auto& [node, hosts] : by_leader) groups.push_back(std::move(hosts));
  return groups;
}

// Whether one tree of switches that add, over which a sum goes at full speed, reaches the bound.
bool one_tree_reaches(const Topology& topology, const NetworkBounds& bounds) {
  const LinkIndex links(topology);
  const auto tree = adding_tree(topology, links, bounds.graph.hosts);
  if (!tree) return false;
  const std::vector<double> limits = adding_rates(topology);
  for (const LinkId id : tree->ways(bounds.graph.hosts, bounds.graph.hosts).links) {
    const double limit = limits[index(id)], rate = topology.link(id).bandwidth;
    if ((limit > 0 ? std::min(limit, rate) : rate) < bounds.allreduce_rate() * (1 - 1e-12))
      return false;
  }
  return true;
}

// The bound of an allreduce where switches add.
void set_adding_bound(const Topology& topology, const Symmetry& symmetry, Rank max_searched,
                      NetworkBounds& bounds) {
  bounds.adds = true;
  bounds.tightest = bounds.hosts() <= max_searched;
  bounds.allreduce =
      adding_allreduce_bound(bounds.graph, symmetry, bounds.all_gather.nodes,
                             groups_within_which_switches_add(topology, bounds.graph),
                             bounds.tightest);
  bounds.optimal = one_tree_reaches(topology, bounds);
}

// Sets the longest of the fastest paths between two hosts. Symmetries keep latencies, so one path
// of each class begins at its representative.
void set_latency(NetworkBounds& bounds, std::span<const NodeId> representatives) {
  const CapacityGraph& graph = bounds.graph;
  std::vector<std::size_t> first(index(graph.nodes) + 1);  // arcs are sorted by their first node
  for (const CapacityArc& arc : graph.arcs) ++first[index(arc.from) + 1];
  for (std::size_t n = 0; n < index(graph.nodes); ++n) first[n + 1] += first[n];
  std::vector<Time> distance;
  using Entry = std::tuple<Time, NodeId>;
  for (const NodeId from : representatives) {
    stop_if_asked();
    distance.assign(index(graph.nodes), Time::max());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    distance[index(from)] = Time{};
    next.emplace(Time{}, from);
    while (!next.empty()) {
      const auto [time, node] = next.top();
      next.pop();
      if (time > distance[index(node)]) continue;
      for (std::size_t a = first[index(node)]; a < first[index(node) + 1]; ++a)
        if (const NodeId to = graph.arcs[a].to; time + graph.arcs[a].latency < distance[index(to)]) {
          distance[index(to)] = time + graph.arcs[a].latency;
          next.emplace(distance[index(to)], to);
        }
    }
    for (const NodeId to : graph.hosts)
      if (distance[index(to)] > bounds.latency || bounds.latency_from == bounds.latency_to) {
        bounds.latency = distance[index(to)];
        bounds.latency_from = from;
        bounds.latency_to = to;
      }
  }
}

// Throws if some host cannot reach another, by way of switches and hosts with ranks.
void check_connected(const CapacityGraph& graph, const Topology& topology) {
  const NodeId first = graph.hosts[0];
  for (const CapacityGraph& way : {graph, reversed(graph)}) {
    std::vector<bool> reached(index(graph.nodes));
    reached[index(first)] = true;
    for (bool any = true; any;) {
      stop_if_asked();
      any = false;
      for (const CapacityArc& arc : way.arcs)
        if (reached[index(arc.from)] && !reached[index(arc.to)]) reached[index(arc.to)] = any = true;
    }
    for (const NodeId host : graph.hosts)
      if (!reached[index(host)])
        fail(Blame::usage, topology.spec() + ": '" + topology.node(first).name + "' and '" +
                               topology.node(host).name +
                               "' cannot reach each other: connect all hosts");
  }
}

// Returns the factor of the time of a reduce-scatter and an all-gather, one after the other,
// rounded up if it needs more than 64 bits.
Fraction sum_by_hosts(const Fraction& a, const Fraction& b, std::int64_t hosts) {
  Wide p = Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator;
  Wide q = Wide{a.denominator} * b.denominator * hosts;
  const auto gcd = [](Wide x, Wide y) {
    while (y != 0) std::tie(x, y) = std::tuple(y, x % y);
    return x;
  };
  const Wide common = gcd(p, q);
  p /= common;
  q /= common;
  for (; p > INT64_MAX || q > INT64_MAX; q /= 2) p = (p + 1) / 2;
  return {static_cast<std::int64_t>(p), static_cast<std::int64_t>(q)};
}

}  // namespace

double NetworkBounds::all_gather_rate() const {
  return hosts() * graph.unit / all_gather.ratio.value();
}

double NetworkBounds::reduce_scatter_rate() const {
  return hosts() * graph.unit / reduce_scatter.ratio.value();
}

NetworkBounds network_bounds(const Topology& topology, std::span<const Rank> host_of,
                             Rank max_searched) {
  NetworkBounds bounds{.graph = capacity_graph(topology, host_of)};
  if (bounds.hosts() < 2)
    fail(Blame::usage, topology.spec() + " with one host: a collective sends nothing, so it has " +
                           "no bound: give at least 2 hosts");
  const CapacityGraph& graph = bounds.graph;
  check_connected(graph, topology);
  bounds.reached = unbalanced_switch(graph) < 0;
  const Symmetry symmetry = find_symmetry(graph);
  bounds.all_gather = tightest_cut(graph, symmetry.representatives);
  bounds.trees_per_root = trees_per_root(graph, bounds.all_gather, symmetry.representatives);
  const bool symmetric = is_symmetric(graph);
  bounds.reduce_scatter =
      symmetric ? bounds.all_gather : tightest_cut(reversed(graph), symmetry.representatives);
  bounds.equal_shares =
      sum_by_hosts(bounds.all_gather.ratio, bounds.reduce_scatter.ratio, bounds.hosts());
  set_latency(bounds, symmetry.representatives);
  if (has_adding_switch(topology)) {
    set_adding_bound(topology, symmetry, max_searched, bounds);
    return bounds;
  }
  bounds.allreduce =
      allreduce_bound(graph, symmetry, bounds.all_gather.nodes, groups_of(topology, graph));
  expects(!bounds.reached || !(bounds.equal_shares < bounds.allreduce.time),
          "no bound is above what is reached");
  if (bounds.allreduce.time < bounds.equal_shares) {
    bounds.tightest = bounds.hosts() <= max_searched;
    if (bounds.tightest)
      bounds.allreduce = tightest_allreduce_bound(graph, std::move(bounds.allreduce));
  }
  bounds.optimal = bounds.reached && (bounds.equal_shares == bounds.allreduce.time ||
                                      (symmetric && bounds.tightest));
  return bounds;
}

double broadcast_rate(const CapacityGraph& graph, NodeId from) {
  FlowNetwork network(index(graph.nodes));
  for (const CapacityArc& arc : graph.arcs) network.add(index(arc.from), index(arc.to), arc.capacity);
  std::int64_t least = -1;
  for (const NodeId host : graph.hosts) {
    if (host == from) continue;
    const std::int64_t flow = network.max_flow(index(from), index(host));
    least = least < 0 ? flow : std::min(least, flow);
  }
  return static_cast<double>(least) * graph.unit;
}

double least_microseconds(const NetworkBounds& bounds, const Problem& problem, Bytes element_size) {
  expects(problem.ranks == bounds.hosts(), "a rank on each host");
  constexpr double kMicroseconds = 1e6;
  const double bytes = static_cast<double>(problem.elements * element_size);
  const double shard = static_cast<double>(problem.elements / problem.ranks * element_size);
  const auto root = bounds.graph.hosts[static_cast<std::size_t>(problem.root)];
  double seconds = 0;
  bool waits = problem.elements >= problem.ranks;  // whether every pair of hosts must communicate
  switch (problem.collective) {
    case Collective::all_gather:
      seconds = shard * bounds.all_gather.ratio.value() / bounds.graph.unit;
      break;
    case Collective::reduce_scatter:
      seconds = shard * bounds.reduce_scatter.ratio.value() / bounds.graph.unit;
      break;
    case Collective::allreduce:
      seconds = bytes / bounds.allreduce_rate();
      waits = problem.elements > 0;
      break;
    case Collective::broadcast:
      seconds = bytes / broadcast_rate(bounds.graph, root);
      waits = false;
      break;
    case Collective::reduce:
      seconds = bytes / broadcast_rate(reversed(bounds.graph), root);
      waits = false;
      break;
  }
  return std::max(seconds * kMicroseconds, waits ? microseconds(bounds.latency) : 0);
}

}  // namespace arlab::simulator
