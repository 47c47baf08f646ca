// The shifts of an algorithm that a network has, too.
#include "simulator/topologies/routing/route_classes.hpp"

#include <string>

#include "simulator/engine/peers_of.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/routing/shared_links.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Returns the number of shifts that are left; 1: none.
Rank shifts_placed(const FabricSpec& spec, const RankSymmetry& symmetry, const PeersOf& peers_of) {
  const auto fabric = build_fabric(spec, symmetry.ranks());
  Router router(fabric->topology, fabric->routing, fabric->seed);
  const auto classes =
      find_route_classes(symmetry, fabric->topology, router, fabric->host_of, peers_of);
  return classes ? classes->symmetry.shifts() : 1;
}

Rank shifts_placed(const FabricSpec& spec, const RankSymmetry& symmetry) {
  return shifts_placed(spec, symmetry, all_ranks(symmetry.ranks()));
}

Rank shifts_on(const std::string& topology, const RankSymmetry& symmetry) {
  return shifts_placed(FabricSpec{.topology = topology}, symmetry);
}

const std::string kLeaves = "leaf_spine:hosts=4,leaves=4,spines=2";

}  // namespace

TEST_CASE("the largest part of the shifts that a network allows") {
  const RankSymmetry around({16}), bits({2, 2, 2, 2}), even({16}, 2), rows({4, 4});
  CHECK(shifts_on("ring", around) == 16);
  CHECK(shifts_on("ring", even) == 8);
  CHECK(shifts_on("torus:dims=4x4", around) == 4);
  CHECK(shifts_on("torus:dims=4x4", even) == 4);
  CHECK(shifts_on("torus:dims=4x4", rows) == 16);
  CHECK(shifts_on("torus:dims=4x4", bits) == 4);  // the upper bit of each coordinate
  CHECK(shifts_on("hypercube", bits) == 16);
  CHECK(shifts_on("hypercube", around) == 2);
  CHECK(shifts_on(kLeaves, around) == 4);
  CHECK(shifts_on(kLeaves, bits) == 16);
  CHECK(shifts_on(kLeaves, rows) == 16);
  CHECK(shifts_on("leaf_spine:hosts=8,leaves=3", around) == 2);
  CHECK(shifts_on("leaf_spine:hosts=6,leaves=3", around) == 1);  // the last leaf has 4 ranks
}

TEST_CASE("without a structure, the routes of all pairs show what shifts there are") {
  const RankSymmetry nodes({32}, 8), gpus({32});
  const auto on_pod = [](const char* settings, const RankSymmetry& symmetry) {
    return shifts_placed(
        {.topology = std::string("rail_pod:nodes=4") + settings, .routing = "shortest"}, symmetry);
  };
  CHECK(on_pod("", nodes) == 4);
  CHECK(on_pod(",relay=yes", nodes) == 4);
  CHECK(on_pod(",relay=yes", gpus) == 4);            // by whole nodes
  CHECK(on_pod(",nodes_per_switch=2", nodes) == 2);  // by whole units
  CHECK(on_pod(",nodes_per_switch=3", nodes) == 1);
}

// Above one unit of switches a hash chooses a spine. A ring's messages along rails share no link to
// a spine, so it does not matter which; those of all pairs, and of rings between rails, do.
TEST_CASE("without a structure, the routes of what is sent show more shifts") {
  const RankSymmetry nodes({64}, 8);
  const auto on_pod = [&](const char* settings, int channels, const char* routing = "automatic") {
    const FabricSpec spec{.topology = std::string("rail_pod:nodes=8,nodes_per_switch=2") + settings,
                          .routing = routing};
    const auto groups = groups_of(*build_fabric(spec, 64));
    const Algorithm& ring = find_algorithm("ring:channels=" + std::to_string(channels));
    const Problem p{.ranks = 64, .elements = 6400, .groups = groups.get()};
    return shifts_placed(spec, nodes, peers_in_programs(ring, lanes_of(ring, p, 1)));
  };
  CHECK(on_pod(",relay=yes", 8) == 4);
  CHECK(on_pod(",relay=yes", 8, "shortest") == 4);
  CHECK(on_pod(",relay=yes", 3) == 4);
  CHECK(on_pod("", 8) == 1);
  CHECK(on_pod("", 8, "shortest") == 4);
  CHECK(shifts_placed({.topology = "rail_pod:nodes=8,nodes_per_switch=2,relay=yes"}, nodes) == 1);
}

TEST_CASE("ranks that send too much to read are not compared") {
  const RankSymmetry around({16});
  const FabricSpec spec{.topology = kLeaves, .routing = "ecmp"};
  const PeersOf next = [](Rank rank) { return std::optional(std::vector<Rank>{(rank + 4) % 16}); };
  const PeersOf unknown = [](Rank) { return std::optional<std::vector<Rank>>{}; };
  CHECK(shifts_placed({.topology = "crossbar"}, around, unknown) == 16);
  CHECK(shifts_placed(spec, around, unknown) == 1);
  CHECK(shifts_placed({.topology = "full_mesh", .routing = "ecmp"}, around, next) == 16);
}

TEST_CASE("copies of ranks are shifted alike") {
  const RankSymmetry folded({2, 2}, 1, 2);
  CHECK(shifts_on("crossbar", folded) == 4);
  CHECK(shifts_on("hypercube", folded) == 4);
  CHECK(shifts_on("leaf_spine:hosts=4,leaves=2,spines=2", folded) == 4);
}

TEST_CASE("a placement may have other shifts, or none") {
  const RankSymmetry around({16});
  CHECK(shifts_placed({.topology = kLeaves, .placement = "cyclic"}, around) == 4);
  CHECK(shifts_placed({.topology = "crossbar", .placement = "random"}, around) == 16);
  CHECK(shifts_placed({.topology = kLeaves, .placement = "random"}, around) == 1);
  CHECK(shifts_placed({.topology = "torus:dims=4x4", .placement = "random"}, around) == 1);
  CHECK(shifts_placed({.topology = kLeaves, .routing = "ecmp"}, around) == 1);
  CHECK(shifts_placed({.topology = "dragonfly", .routing = "valiant"}, around) == 1);
}

TEST_CASE("a message crosses a link together with those of its images that do") {
  const RankSymmetry bits({2, 2, 2, 2});
  const auto fabric = build_fabric({.topology = kLeaves}, 16);
  const Topology& topology = fabric->topology;
  Router router(topology);
  auto classes = find_route_classes(bits, topology, router, fabric->host_of, all_ranks(16));
  REQUIRE(classes);
  CHECK(classes->links.count() == 4);  // host and spine, up and down
  const SharedLinks links(topology, std::move(classes));
  CHECK(links.count() == 4);
  // One of 16 on each host's link, and 16 on the 8 links up to the spines, and on those down.
  CHECK(links.crossed(router.route(0, 5)).size() == 1 + 2 + 2 + 1);
  CHECK(links.crossed(router.route(0, 1)).size() == 1 + 1);
  const auto all = links.spread({1, 2, 3, 4});
  CHECK(all.size() == topology.links().size());
}
