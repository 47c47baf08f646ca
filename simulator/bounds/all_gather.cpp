#include "simulator/bounds/all_gather.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/analysis/flow.hpp"

namespace arlab::simulator {
namespace {

// The network with a source that sends each host its shard. A host receives all n shards if and
// only if the maximum flow to it is n times that of one shard.
class Shards {
 public:
  explicit Shards(const CapacityGraph& graph)
      : graph_(graph), source_(index(graph.nodes)), network_(source_ + 1) {
    for (const CapacityArc& arc : graph.arcs) network_.add(index(arc.from), index(arc.to), arc.capacity);
    for (const NodeId host : graph.hosts) network_.add(source_, index(host), 0);
  }

  // Sets the flow of one shard, and multiplies the capacities by a factor, rounded down.
  void set(std::int64_t shard, const Fraction& factor) {
    shard_ = shard;
    std::size_t number = 0;
    for (const CapacityArc& arc : graph_.arcs)
      network_.set_capacity(
          number++,
          static_cast<std::int64_t>(Wide{arc.capacity} * factor.numerator / factor.denominator));
    for (std::size_t i = 0; i < graph_.hosts.size(); ++i) network_.set_capacity(number++, shard);
  }

  // Sets the rate of a shard to 1 / ratio; times the numerator, so that all capacities are whole.
  void set(const Fraction& ratio) { set(ratio.denominator, {ratio.numerator, 1}); }

  // Returns whether the host can receive all shards.
  bool reaches(NodeId host) {
    return network_.max_flow(source_, index(host)) ==
           static_cast<std::int64_t>(graph_.hosts.size()) * shard_;
  }

  // Returns the nodes before the tightest links on the way to a host that reaches() denied.
  std::vector<bool> cut() const {
    std::vector<bool> side = network_.source_side(source_);
    side.pop_back();
    return side;
  }

 private:
  const CapacityGraph& graph_;
  std::size_t source_;
  FlowNetwork network_;
  std::int64_t shard_ = 0;
};

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
  for (const NodeId host : representatives)
    while (!shards.reaches(host)) {
      RatioCut cut = with_ratio(graph, shards.cut());
      expects(tightest.ratio < cut.ratio, "a flow that falls short names a tighter cut");
      tightest = std::move(cut);
      shards.set(tightest.ratio);
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
  for (std::int64_t k = q / common, tried = 0; k < q && tried < kMaxTried;
       k += q / common, ++tried) {
    shards.set(k, {k * p, q});
    if (std::all_of(representatives.begin(), representatives.end(),
                    [&](NodeId host) { return shards.reaches(host); }))
      return k;
  }
  return q;
}

}  // namespace arlab::simulator
