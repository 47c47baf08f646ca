// Models with links: loads and histories agree, and recording does not change the results.
#include "simulator/link_history.hpp"
#include "simulator/topologies/fabric.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("histories add up to the loads, and no link exceeds its capacity") {
  for (const Model& model : models()) {
    if (!model.has_links) continue;
    for (const char* topology : {"crossbar", "torus:dims=4x3", "fat_tree:k=4,oversubscription=2"})
      for (const Algorithm& algorithm : algorithms()) {
        const Problem p = grouped(algorithm, {.ranks = 12, .elements = 100'000});
        if (!unsupported(algorithm, p).empty()) continue;
        INFO(algorithm.name << " under " << model.name << " on " << topology);
        const FabricSpec spec{.topology = topology};
        LinkHistory history;
        const auto network = make_network(model, {}, 12, spec),
                   other = make_network(model, {}, 12, spec);
        network->watch_links(history);
        const Time finish = simulate(algorithm, p, 4, *network).finish;
        CHECK(finish == simulate(algorithm, p, 4, *other).finish);
        double carried = 0;
        const std::vector<LinkLoad> loads = network->loads(finish);
        for (std::size_t l = 0; l < loads.size(); ++l) {
          double sum = 0;
          for (const double bytes : history.carried(l, finish)) {
            REQUIRE(bytes <= loads[l].rate * picoseconds(history.step()) * (1 + 1e-6));
            sum += bytes;
          }
          REQUIRE(sum == Approx(loads[l].bytes).epsilon(1e-4));
          REQUIRE_FALSE(loads[l].tier.empty());
          carried += loads[l].bytes;
        }
        CHECK(carried >= 4. * static_cast<double>(p.elements));
      }
  }
}

TEST_CASE("a model without links has no loads and ignores a link history") {
  LinkHistory history;
  const auto network = make_network(find_model("alpha_beta"), {}, 4);
  network->watch_links(history);
  simulate(find_algorithm("ring"), {.ranks = 4, .elements = 100}, 4, *network);
  CHECK(network->loads(1_ps).empty());
  CHECK(history.carried(0, 5_ps) == std::vector<double>(5));
}

TEST_CASE("ranks whose hosts share a node are a group under any placement") {
  const auto of = [](const char* placement, Rank ranks, const char* topology) {
    return groups_of(*build_fabric({.topology = topology, .placement = placement}, ranks));
  };
  const auto block = of("block", 16, "rail_pod:nodes=4,gpus=4");
  REQUIRE(block);
  CHECK(block->count() == 4);
  CHECK(block->even_size() == 4);
  CHECK(block->group_of(5) == 1);
  const auto cyclic = of("cyclic", 16, "rail_pod:nodes=4,gpus=4");
  CHECK(cyclic->even_size() == 4);
  CHECK(cyclic->group_of(5) == cyclic->group_of(1));
  CHECK(cyclic->group_of(5) != cyclic->group_of(4));
  CHECK(of("block", 10, "rail_pod:nodes=4,gpus=4")->even_size() == 0);
  CHECK(of("block", 8, "dgx_h100")->count() == 1);
  CHECK(of("block", 16, "fat_tree:k=4")->count() == 8);
  CHECK(of("block", 16, "crossbar") == nullptr);
}
