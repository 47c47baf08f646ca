#include "simulator/bounds/all_gather.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "algorithms/base/error.hpp"
#include "simulator/bounds/supply_flow.hpp"

namespace arlab::simulator {
namespace {

// The network with a shard at each host. A host receives all n shards if and only if the maximum
// flow to it is n times that of one shard. Once it does, it can pass on any of them: cuts that
// leave it behind are known to be wide enough, so it becomes a source for the hosts examined after
// it.
class Shards {
 public:
  explicit Shards(const CapacityGraph& graph) : graph_(graph), flow_(graph) {}

  // Sets the flow of one shard, and multiplies the capacities by a factor, rounded down.
  void set(std::int64_t shard, const Fraction& factor) {
    shard_ = shard;
    std::size_t number = 0;
    for (const CapacityArc& arc : graph_.arcs)
      flow_.set_capacity(number++, static_cast<std::int64_t>(Wide{arc.capacity} * factor.numerator /
                                                             factor.denominator));
    for (const NodeId host : graph_.hosts) flow_.set_supply(host, shard);
  }

  // Sets the rate of a shard to 1 / ratio; times the numerator, so that all capacities are whole.
  void set(const Fraction& ratio) { set(ratio.denominator, {ratio.numerator, 1}); }

  // Returns whether the host can receive all shards.
  bool reaches(NodeId host) {
    const std::int64_t all = static_cast<std::int64_t>(graph_.hosts.size()) * shard_;
    return flow_.into(std::span(&host, 1), all) == all;
  }
  // The host reaches() all shards, at this rate and thus at every lower one.
  void add_source(NodeId host) { flow_.set_supply(host, SupplyFlow::kAny); }

  // Returns the nodes before the tightest links on the way to a host that reaches() denied.
  std::vector<bool> cut() const { return flow_.before_cut(); }

 private:
  const CapacityGraph& graph_;
  SupplyFlow flow_;
  std::int64_t shard_ = 0;
};

// Returns the hosts in an order in which most are near earlier ones, so that flows are short.
std::vector<NodeId> near_first(const CapacityGraph& graph, std::span<const NodeId> hosts) {
  std::vector<std::vector<NodeId>> next(index(graph.nodes));
  for (const CapacityArc& arc : graph.arcs) next[index(arc.from)].push_back(arc.to);
  std::vector<bool> wanted(next.size()), met(next.size());
  for (const NodeId host : hosts) wanted[index(host)] = true;
  std::vector<NodeId> queue, ordered;
  for (const NodeId host : hosts) {
    if (met[index(host)]) continue;
    met[index(host)] = true;
    queue.push_back(host);
    for (std::size_t at = queue.size() - 1; at < queue.size(); ++at) {
      if (wanted[index(queue[at])]) ordered.push_back(queue[at]);
      for (const NodeId to : next[index(queue[at])])
        if (!met[index(to)]) met[index(to)] = true, queue.push_back(to);
    }
  }
  return ordered;
}

RatioCut with_ratio(const CapacityGraph& graph, std::vector<bool> nodes) {
  std::int64_t hosts = 0;
  for (const NodeId host : graph.hosts) hosts += nodes[index(host)] ? 1 : 0;
  const std::int64_t capacity = capacity_out_of(graph, nodes);
  expects(capacity > 0, "every host can reach every other");
  return {ratio(hosts, capacity), std::move(nodes)};
}

}  // namespace

// Dinkelbach's method: a flow that falls short names a cut with a larger ratio, from which it
// continues. What a host can receive at some rate it can also receive at a lower one, so every host
// is examined once, and again only after a cut was found with it.
RatioCut tightest_cut(const CapacityGraph& graph, std::span<const NodeId> representatives) {
  RatioCut tightest;
  for (const NodeId host : representatives) {  // the links into one host
    std::vector<bool> others(index(graph.nodes), true);
    others[index(host)] = false;
    RatioCut cut = with_ratio(graph, std::move(others));
    if (tightest.ratio < cut.ratio) tightest = std::move(cut);
  }
  Shards shards(graph);
  shards.set(tightest.ratio);
  std::vector<NodeId> examined;
  for (const NodeId host : near_first(graph, representatives)) {
    while (!shards.reaches(host)) {
      RatioCut cut = with_ratio(graph, shards.cut());
      expects(tightest.ratio < cut.ratio, "a flow that falls short names a tighter cut");
      tightest = std::move(cut);
      shards.set(tightest.ratio);
      for (const NodeId other : examined) shards.add_source(other);
    }
    shards.add_source(host);
    examined.push_back(host);
  }
  return tightest;
}

// The tightest cut has no capacity to spare: there k p/q c must be whole.
std::int64_t trees_per_root(const CapacityGraph& graph, const RatioCut& tightest,
                            std::span<const NodeId> representatives) {
  constexpr std::int64_t kMaxTried = 16;
  const auto [p, q] = tightest.ratio;
  std::int64_t common = q;
  for (const CapacityArc& arc : graph.arcs)
    if (tightest.nodes[index(arc.from)] && !tightest.nodes[index(arc.to)])
      common = std::gcd(common, arc.capacity);
  Shards shards(graph);
  const std::vector<NodeId> ordered = near_first(graph, representatives);
  for (std::int64_t k = q / common, tried = 0; k < q && tried < kMaxTried;
       k += q / common, ++tried) {
    shards.set(k, {k * p, q});
    if (std::all_of(ordered.begin(), ordered.end(), [&](NodeId host) {
          const bool reached = shards.reaches(host);
          if (reached) shards.add_source(host);
          return reached;
        }))
      return k;
  }
  return q;
}

}  // namespace arlab::simulator
