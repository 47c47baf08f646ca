// Forests keep the links as busy as the optimum demands, and no busier: by their routes, and when
// an allreduce along them is simulated.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::shared_ptr<const Fabric> whole(Topology topology) {
  const Rank hosts = topology.hosts();
  std::vector<Rank> all = place(topology, Placement::block, hosts, 0);
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), Routing::automatic, 0, std::move(all)});
}

// Returns the seconds per byte of the vector that the busiest link needs for an allreduce along the
// trees: up and down each tree with its share of the vector, under the routes that messages take.
// Without latency, an allreduce in many segments takes this long if links are shared well.
double busiest_link_seconds(const Forest& forest, const Fabric& fabric) {
  Router router(fabric.topology, fabric.routing, fabric.seed);
  Count total = 0;
  for (const WeightedTree& tree : forest.trees()) total += tree.weight;
  std::vector<Count> load(fabric.topology.links().size());
  const auto carry = [&](Rank from, Rank to, Count weight) {
    for (const LinkId link : router.route(fabric.host_of[index(from)], fabric.host_of[index(to)]))
      load[index(link)] += weight;
  };
  for (const WeightedTree& tree : forest.trees())
    for (std::size_t r = 0; r < tree.parent.size(); ++r) {
      const auto rank = static_cast<Rank>(r);
      if (rank == tree.root) continue;
      carry(rank, tree.parent[r], tree.weight);
      carry(tree.parent[r], rank, tree.weight);
    }
  double seconds = 0;
  for (std::size_t l = 0; l < load.size(); ++l)
    seconds =
        std::max(seconds, static_cast<double>(load[l]) / fabric.topology.links()[l].bandwidth);
  return seconds / static_cast<double>(total);
}

// Returns the time of equal shares by that of the busiest link, and by that of the simulation.
std::pair<double, double> fractions(Topology topology, int segments) {
  const auto fabric = whole(std::move(topology));
  const Rank ranks = fabric->topology.hosts();
  const double optimum = 1 / network_bounds(fabric->topology).equal_shares_rate();
  const Synthesis made = synthesize(fabric->topology);
  const Algorithm& algorithm = find_algorithm("forest");
  const Problem problem{.ranks = ranks, .elements = 1 << 28, .forest = &made.forest};
  const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
  const double seconds =
      microseconds(simulate(algorithm, problem, 4, *network, {.segments = segments}).finish) / 1e6;
  return {optimum / busiest_link_seconds(made.forest, *fabric),
          optimum * (4. * (1 << 28)) / seconds};
}

}  // namespace

// Filling and draining the trees leaves links idle; long vectors are cut into enough pieces for
// that to cost less than 5%.
TEST_CASE("an allreduce along a forest is near the optimum for its shares") {
  const std::pair<const char*, double> least[] = {
      {"crossbar:hosts=8", 0.99},
      {"ring:hosts=8", 0.99},
      {"fat_tree:k=4", 0.99},
      {"leaf_spine:leaves=4,hosts=4,oversubscription=2", 0.99},
      {"rail_pod:nodes=2,gpus=4", 0.97},
      {"torus:dims=4x4", 0.97},
      {"hypercube:d=3", 0.99}};
  for (const auto& [spec, fraction] : least) {
    INFO(spec);
    const auto [by_route, by_simulation] = fractions(make_topology(spec), 1);
    CHECK(by_route > 0.999);
    CHECK(by_route < 1.000001);  // each tree loads links towards its root, and back
    CHECK(by_simulation > fraction);
    CHECK(by_simulation < 1.000001);
  }
  CHECK(fractions(make_topology("torus:dims=4x4"), 64).second > 0.97);
}

TEST_CASE("a forest of two boxes of A100s is near the optimum") {
  const auto fabric = whole(machines::a100_boxes(2));
  CHECK(busiest_link_seconds(synthesize(fabric->topology).forest, *fabric) <
        1.001 / network_bounds(fabric->topology).equal_shares_rate());
  if (kSanitized) return;  // a simulation of 208 lanes takes minutes
  const auto [by_route, by_simulation] = fractions(machines::a100_boxes(2), 1);
  CHECK(by_route > 0.999);
  CHECK(by_simulation > 0.95);
}
