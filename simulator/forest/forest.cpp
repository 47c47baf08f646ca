#include "simulator/forest/forest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "simulator/bounds/all_gather.hpp"
#include "simulator/bounds/symmetry.hpp"
#include "simulator/forest/pack_trees.hpp"

namespace arlab::simulator {
namespace {

std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }

void check_balance(const CapacityGraph& graph, const Topology& topology) {
  const NodeId node = unbalanced_switch(graph);
  if (node < 0) return;
  fail(Blame::usage,
       topology.spec() + ": forest needs switches with as much bandwidth in as out, " + "and '" +
           topology.node(node).name + "' differs: make its links equal in both directions");
}

// Returns scale x capacity, rounded down.
std::int64_t times(const Fraction& scale, std::int64_t capacity) {
  return static_cast<std::int64_t>(Wide{capacity} * scale.numerator / scale.denominator);
}

// Arcs between the same levels of switches, of the same capacity.
using Kind = std::tuple<int, int, std::int64_t>;

std::map<Kind, std::vector<CapacityArc>, std::greater<>> by_kind(const CapacityGraph& graph,
                                                                 const std::vector<int>& level) {
  std::map<Kind, std::vector<CapacityArc>, std::greater<>> kinds;
  for (const CapacityArc& arc : graph.arcs) {
    const auto [low, high] = std::minmax(level[at(arc.from)], level[at(arc.to)]);
    if (high > 0) kinds[{high, low, arc.capacity}].push_back(arc);
  }
  return kinds;
}

// Lowers the capacities of the links of switches to the least that suffices, kind by kind from the
// top. So trees use the links above only where they must, and routes that meet there do not matter.
// Both directions change alike, so switches keep as much capacity in as out.
void lower(SplitGraph& graph, const CapacityGraph& whole, const std::vector<int>& level,
           const Fraction& scale) {
  for (const auto& [kind, arcs] : by_kind(whole, level)) {
    const std::int64_t full = times(scale, std::get<2>(kind));
    const auto set = [&, &arcs = arcs](std::int64_t capacity) {
      for (const CapacityArc& arc : arcs)
        graph.flow.add(arc.from, arc.to, capacity - graph.flow.capacity(arc.from, arc.to));
    };
    std::int64_t too_low = -1, enough = full;
    while (enough - too_low > 1) {
      const std::int64_t middle = too_low + (enough - too_low) / 2;
      set(middle);
      (graph.shortfall() == 0 ? enough : too_low) = middle;
    }
    set(enough);
  }
}

}  // namespace

Synthesis synthesize(const Topology& topology, std::span<const Rank> host_of) {
  const CapacityGraph graph = capacity_graph(topology, host_of);
  check_balance(graph, topology);
  Synthesis made;
  if (graph.hosts.size() == 1) {
    made.trees_per_root = 1;
    made.forest = Forest({{.root = 0, .weight = 1, .parent = {0}}});
    return made;
  }
  const std::vector<NodeId> representatives = find_symmetry(graph).representatives;
  const RatioCut tightest = tightest_cut(graph, representatives);
  const bool symmetric = is_symmetric(graph);  // else rounding could unbalance a switch
  made.trees_per_root =
      symmetric ? trees_per_root(graph, tightest, representatives) : tightest.ratio.denominator;
  made.scale = ratio(made.trees_per_root * tightest.ratio.numerator, tightest.ratio.denominator);

  SplitGraph split{.flow = LimitedFlow(graph.nodes + 1),
                   .source = graph.nodes,
                   .hosts = graph.hosts,
                   .units = made.trees_per_root};
  std::vector<int> level(at(graph.nodes));
  std::vector<NodeId> switches;
  for (NodeId n = 0; n < graph.nodes; ++n) {
    level[at(n)] = graph.is_host[at(n)] ? 0 : std::max(1, topology.node(n).level);
    if (!graph.is_host[at(n)]) switches.push_back(n);
  }
  for (const CapacityArc& arc : graph.arcs)
    split.flow.add(arc.from, arc.to, times(made.scale, arc.capacity));
  for (const NodeId host : graph.hosts) split.flow.add(split.source, host, made.trees_per_root);
  if (symmetric) lower(split, graph, level, made.scale);
  std::stable_sort(switches.begin(), switches.end(),
                   [&](NodeId a, NodeId b) { return level[at(a)] > level[at(b)]; });
  split_switches(split, switches, level);
  made.splits = std::move(split.splits);

  LimitedFlow between(static_cast<Rank>(graph.hosts.size()));
  for (std::size_t a = 0; a < graph.hosts.size(); ++a)
    for (std::size_t b = 0; b < graph.hosts.size(); ++b)
      if (const auto c = split.flow.capacity(graph.hosts[a], graph.hosts[b]); a != b && c > 0)
        between.add(static_cast<Rank>(a), static_cast<Rank>(b), c);
  made.forest = Forest(pack_trees(between, made.trees_per_root));
  return made;
}

}  // namespace arlab::simulator
