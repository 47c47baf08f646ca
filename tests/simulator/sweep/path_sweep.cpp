// The path sweep equals events on links that no two messages use at a time.
#include <map>
#include <string>

#include "simulator/engine/simulate.hpp"
#include "simulator/link_history.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

const Values kPathCosts{{"gamma", 3.7}, {"envelope", 33}, {"flow_beta", 90}};

// Returns the engine that is chosen.
EngineKind check_paths(const Algorithm& algorithm, const Problem& p, const FabricSpec& fabric,
                       const Values& values) {
  INFO(algorithm.name << " on " << p.ranks << ", " << p.elements << " elements, " << fabric.topology
                      << " " << fabric.placement);
  const Model& fluid = find_model("fluid");
  const auto by_events = make_network(fluid, values, p.ranks, fabric),
             by_sweep = make_network(fluid, values, p.ranks, fabric);
  const SimulationResult events =
      simulate(algorithm, p, 4, *by_events, {.symmetry = false, .sweep = false});
  const SimulationResult sweep = simulate(algorithm, p, 4, *by_sweep, {.symmetry = false});
  REQUIRE(events.engine == EngineKind::events);
  REQUIRE(sweep.finish == events.finish);
  REQUIRE(sweep.finish_of == events.finish_of);
  REQUIRE(sweep.sent == events.sent);
  const auto expected = by_events->loads(events.finish), loads = by_sweep->loads(events.finish);
  REQUIRE(loads.size() == expected.size());
  for (std::size_t l = 0; l < loads.size(); ++l) REQUIRE(loads[l].bytes == expected[l].bytes);
  return sweep.engine;
}

}  // namespace

TEST_CASE("a sweep over links and events agree over the catalog") {
  std::map<std::string, int> swept, shared;
  for (const char* topology :
       {"crossbar", "ring", "torus", "fat_tree:down=4x4,up=1x2", "leaf_spine:oversubscription=4",
        "full_mesh", "rail_pod", "dragonfly"})
    for (const Rank ranks : {2, 3, 8, 16})
      for (const Algorithm& algorithm : algorithms()) {
        const Problem p = grouped(algorithm, {.ranks = ranks, .elements = ranks == 8 ? 1009 : 160});
        if (!unsupported(algorithm, p).empty()) continue;
        for (const char* placement : {"block", "random"}) {
          const EngineKind engine =
              check_paths(algorithm, p, {.topology = topology, .placement = placement},
                          ranks == 3 ? Values{} : kPathCosts);
          ++(engine == EngineKind::sweep ? swept : shared)[std::string(algorithm.name)];
        }
      }
  CHECK(swept["ring"] > 0);
  CHECK(swept["butterfly"] > 0);
  CHECK(swept["round_robin"] > 0);
  CHECK(swept["tree"] == 0);
  CHECK(shared["ring"] > 0);
}

TEST_CASE("a ring never shares the links of an oversubscribed fat tree") {
  const Problem p{.ranks = 64, .elements = 640};
  CHECK(check_paths(find_algorithm("ring"), p, {.topology = "fat_tree:down=8x8,up=1x2"}, {}) ==
        EngineKind::sweep);
  CHECK(check_paths(find_algorithm("butterfly"), p, {.topology = "fat_tree:down=8x8,up=1x2"}, {}) ==
        EngineKind::events);
}

TEST_CASE("links that are watched over time are left to events") {
  const auto network = make_network(find_model("fluid"), {}, 8, {.topology = "crossbar"});
  LinkHistory history;
  network->watch_links(history);
  const Problem p{.ranks = 8, .elements = 80};
  CHECK(simulate(find_algorithm("ring"), p, 4, *network).engine == EngineKind::events);
}
