#include "simulator/forest/forest.hpp"

#include <map>
#include <random>

#include "simulator/bounds/all_gather.hpp"
#include "simulator/bounds/symmetry.hpp"
#include "simulator/forest/limited_flow.hpp"
#include "simulator/topologies/analysis/flow.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Checks that the trees span, that k of them have each root, and that after the switches are put
// back no link carries more than its share. Returns the number of trees' classes.
std::size_t check(const Topology& topology, const std::vector<Rank>& hosts = {}) {
  INFO(topology.spec());
  const Synthesis made = synthesize(topology, hosts);
  const CapacityGraph graph = capacity_graph(topology, hosts);
  const auto ranks = static_cast<Rank>(graph.hosts.size());
  std::vector<Count> of_root(index(ranks));
  std::map<std::pair<NodeId, NodeId>, Count> used;
  for (const WeightedTree& tree : made.forest.trees()) {
    of_root[index(tree.root)] += tree.weight;
    REQUIRE(tree.weight > 0);
    REQUIRE(tree.parent.size() == index(ranks));
    REQUIRE(tree.parent[index(tree.root)] == tree.root);
    for (Rank r = 0; r < ranks; ++r) {
      Rank at = r;
      for (Rank steps = 0; at != tree.root && steps < ranks; ++steps) at = tree.parent[index(at)];
      REQUIRE(at == tree.root);
      const Rank parent = tree.parent[index(r)];
      if (r != tree.root) used[{graph.hosts[index(parent)], graph.hosts[index(r)]}] += tree.weight;
    }
  }
  for (const Count weight : of_root) REQUIRE(weight == made.trees_per_root);
  for (auto split = made.splits.rbegin(); split != made.splits.rend(); ++split) {
    const Count through = std::min(used[{split->from, split->to}], split->capacity);
    used[{split->from, split->to}] -= through;
    used[{split->from, split->via}] += through;
    used[{split->via, split->to}] += through;
  }
  std::map<std::pair<NodeId, NodeId>, std::int64_t> capacity;
  for (const CapacityArc& arc : graph.arcs) capacity[{arc.from, arc.to}] = arc.capacity;
  for (const auto& [arc, count] : used)
    if (count > 0)
      REQUIRE(Wide{count} * made.scale.denominator <= Wide{capacity[arc]} * made.scale.numerator);
  // The weights are the optimum: k trees a root take k p/q of a unit of capacity.
  const RatioCut tightest = tightest_cut(graph, find_symmetry(graph).representatives);
  CHECK(made.scale ==
        ratio(made.trees_per_root * tightest.ratio.numerator, tightest.ratio.denominator));
  return made.forest.trees().size();
}

}  // namespace

TEST_CASE("a limited flow is the maximum flow up to the limit") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    constexpr int kNodes = 9;
    FlowNetwork full(kNodes);
    LimitedFlow limited(kNodes);
    for (int arc = 0; arc < 30; ++arc) {
      const auto a = random() % kNodes, b = random() % kNodes;
      const auto c = static_cast<std::int64_t>(random() % 20);
      if (a == b) continue;
      full.add(a, b, c);
      limited.add(int(a), int(b), c);
    }
    const std::int64_t most = full.max_flow(0, 1);
    CHECK(limited.flow(0, 1, 1'000'000) == most);
    CHECK(limited.flow(0, 1, 5) == std::min<std::int64_t>(5, most));
  }
}

TEST_CASE("a flow that is kept tells what a new one does while capacities change") {
  std::mt19937 random(11);
  int reached = 0, missed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    constexpr int kNodes = 9;
    LimitedFlow flow(kNodes);
    for (int arc = 0; arc < 40; ++arc) {
      const auto a = int(random() % kNodes), b = int(random() % kNodes);
      if (a != b) flow.add(a, b, std::int64_t(random() % 20));
    }
    const std::int64_t limit = std::max<std::int64_t>(1, flow.flow(0, 1, 1'000'000) * 2 / 3);
    LimitedFlow::Kept kept;
    for (int change = 0; change < 60; ++change) {
      for (auto changes = random() % 4; changes > 0; --changes) {  // also arcs that are new
        const auto a = int(random() % kNodes), b = int(random() % kNodes);
        if (a == b) continue;
        const std::int64_t more = std::int64_t(random() % 21) - 10;
        flow.add(a, b, std::max(more, -flow.capacity(a, b)));
      }
      const bool reaches = flow.reaches(0, 1, limit, kept);
      REQUIRE(reaches == (flow.flow(0, 1, limit) == limit));
      (reaches ? reached : missed) += 1;
    }
  }
  CHECK(std::min(reached, missed) > 100);
}

TEST_CASE("forests fit the networks of the literature") {
  for (const char* spec :
       {"ring:hosts=8", "torus:dims=4x4", "torus:dims=3x3", "mesh:dims=4x4", "hypercube:d=3",
        "crossbar:hosts=8", "fat_tree:k=4", "leaf_spine:leaves=4,hosts=4",
        "leaf_spine:leaves=4,hosts=4,oversubscription=4",
        "leaf_spine:leaves=4,hosts=4,oversubscription=8", "rail_pod:nodes=3,gpus=4", "dragonfly"})
    check(make_topology(spec, 8));
  check(machines::a100_boxes(1));
  check(machines::a100_boxes(2));
  check(machines::of_matrix("mi250", machines::kMi250, 50));
  check(machines::of_matrix("dgx1", machines::kCubeMesh, 25));
  check(machines::ndv2(2));
}

TEST_CASE("forests fit random networks with links of unequal speed") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    check(machines::random_network(seed, int(2 + seed % 7)));
  }
}

TEST_CASE("forests of hosts that are chosen go through the others") {
  check(make_topology("torus:dims=4x4"), {0, 5, 10, 15});
}

TEST_CASE("each host of a crossbar is the root of one low tree") {
  const Synthesis made = synthesize(make_topology("crossbar:hosts=16"));
  CHECK(made.forest.trees().size() == 16);
  for (const WeightedTree& tree : made.forest.trees())
    CHECK(tree.parent == std::vector<Rank>(16, tree.root));
}

TEST_CASE("trees of racks cross to each other rack once") {
  const Synthesis made =
      synthesize(make_topology("leaf_spine:leaves=4,hosts=4,oversubscription=2"));
  CHECK(made.forest.trees().size() == 16);
  for (const WeightedTree& tree : made.forest.trees()) {
    int crossings = 0;
    for (Rank r = 0; r < 16; ++r) crossings += tree.parent[index(r)] / 4 != r / 4 ? 1 : 0;
    CHECK(crossings == 3);
  }
}

TEST_CASE("a switch with more bandwidth in than out is refused by name") {
  TopologyBuilder builder("one way", 2, 1, 4);
  builder.add_host("a");
  builder.add_host("b");
  builder.add_switch("s", 1);
  builder.add_cable(0, 2, machines::wire(1));
  builder.add_link(1, 2, machines::wire(2));
  builder.add_link(2, 1, machines::wire(1));
  const Topology topology = std::move(builder).build();
  CHECK_THROWS_WITH(synthesize(topology), Catch::Contains("'s' differs"));
}
