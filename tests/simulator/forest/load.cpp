// Forests keep the links as busy as the optimum demands, and no busier: by their routes, and when
// an allreduce along them is simulated.
#include "simulator/forest/load.hpp"

#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/verify/verify.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::vector<const WeightedTree*> tree;  // of each lane: a tree of weight w has w lanes

// Up the tree of the lane, then down, chunk after chunk: a rank passes on a chunk while it receives
// the next one.
Program program(Problem p, Rank me) {
  const WeightedTree& t = *tree[index(p.lane)];
  std::vector<Rank> children;
  for (Rank r = 0; r < p.ranks; ++r)
    if (r != t.root && t.parent[index(r)] == me) children.push_back(r);
  const Rank parent = t.parent[index(me)];
  std::vector<Action> round;
  for (Rank c = 0; c <= p.ranks; ++c) {
    round.clear();
    if (c < p.ranks)
      for (const Rank child : children) round.push_back(reduce(child, p.chunk(c)));
    if (me != t.root && (children.empty() ? c < p.ranks : c > 0))
      round.push_back(send(parent, p.chunk(children.empty() ? c : c - 1)));
    if (!round.empty()) co_yield Round(round);
  }
  for (Rank c = 0; c <= p.ranks; ++c) {
    round.clear();
    if (me != t.root && c < p.ranks) round.push_back(replace(parent, p.chunk(c)));
    if (me == t.root ? c < p.ranks : c > 0)
      for (const Rank child : children)
        round.push_back(send(child, p.chunk(me == t.root ? c : c - 1)));
    if (!round.empty()) co_yield Round(round);
  }
}

Algorithm along(const Forest& trees) {
  tree.clear();
  for (const WeightedTree& t : trees.trees())
    for (Count copy = 0; copy < t.weight; ++copy) tree.push_back(&t);
  Algorithm algorithm;
  algorithm.name = "forest";
  algorithm.program = program;
  algorithm.collectives = {Collective::allreduce};
  algorithm.lanes = static_cast<std::int32_t>(tree.size());
  return algorithm;
}

std::shared_ptr<const Fabric> whole(Topology topology) {
  const Rank hosts = topology.hosts();
  std::vector<Rank> all = place(topology, Placement::block, hosts, 0);
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), Routing::automatic, 0, std::move(all)});
}

// Returns the time of equal shares by that of the busiest link, and by that of the simulation.
std::pair<double, double> fractions(Topology topology, int segments) {
  const auto fabric = whole(std::move(topology));
  const Rank ranks = fabric->topology.hosts();
  const double optimum = 1 / network_bounds(fabric->topology).equal_shares_rate();
  const Synthesis made = synthesize(fabric->topology);
  const Algorithm algorithm = along(made.forest);
  const Problem problem{.ranks = ranks, .elements = 1 << 28};
  CHECK(verify(algorithm, {.ranks = ranks, .elements = 100'000}, 2));
  const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
  const double seconds =
      microseconds(simulate(algorithm, problem, 4, *network, {.segments = segments}).finish) / 1e6;
  return {optimum / busiest_link_seconds(made.forest, *fabric),
          optimum * (4. * (1 << 28)) / seconds};
}

}  // namespace

// With as many pieces as ranks, the first and the last ones leave links idle: the more, the higher
// the trees.
TEST_CASE("an allreduce along a forest is near the optimum for its shares") {
  const std::pair<const char*, double> least[] = {
      {"crossbar:hosts=8", 0.99},
      {"ring:hosts=8", 0.99},
      {"fat_tree:k=4", 0.98},
      {"leaf_spine:leaves=4,hosts=4,oversubscription=2", 0.99},
      {"rail_pod:nodes=2,gpus=8", 0.95},
      {"torus:dims=4x4", 0.93},
      {"hypercube:d=4", 0.94}};
  for (const auto& [spec, fraction] : least) {
    INFO(spec);
    const auto [by_route, by_simulation] = fractions(make_topology(spec), 1);
    CHECK(by_route > 0.999);
    CHECK(by_simulation > fraction);
    CHECK(by_simulation < 1.000001);
  }
}

TEST_CASE("a forest of two boxes of A100s is near the optimum") {
  const auto [by_route, by_simulation] = fractions(machines::a100_boxes(2), 1);
  CHECK(by_route > 0.999);
  CHECK(by_simulation > 0.94);
}
