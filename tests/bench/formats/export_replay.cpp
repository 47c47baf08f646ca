// A schedule exported as GOAL and replayed takes the time of its simulation.
#include <string_view>

#include "bench/formats/goal.hpp"
#include "bench/formats/parse_goal.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "simulator/replay/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// No two costs have a common multiple within the runs, so that no two events tie.
const Values kMachine{{"L", 1'000'003}, {"o", 10'007}, {"g", 30'011}, {"G", 7}};

Config config_of(const Algorithm& algorithm, Rank ranks, int segments) {
  Config config;
  config.algorithm = &algorithm;
  config.problem = grouped(algorithm, {.ranks = ranks, .elements = 1009});
  config.segments = segments;
  return config;
}

}  // namespace

TEST_CASE("export as GOAL, parse, and replay give the time of simulate, also of pieces and lanes") {
  for (const Rank ranks : {2, 3, 8})
    for (const Algorithm* algorithm : tested_algorithms())
      for (const int segments : {1, 3}) {
        const Config config = config_of(*algorithm, ranks, segments);
        if (!unsupported(*algorithm, config.problem).empty() || algorithm->in_network) continue;
        INFO(algorithm->name << ", ranks " << ranks << ", segments " << segments);
        const auto trace = parse_goal(goal_trace(config), "exported");
        for (const char* model : {"loggops", "alpha_beta"}) {
          const auto& kind = simulator::find_model(model);
          const auto network = simulator::make_network(kind, kMachine, ranks);
          const auto again = simulator::make_network(kind, kMachine, ranks);
          const auto simulated = simulator::simulate(*algorithm, config.problem, 4, *network,
                                                     {.segments = segments, .symmetry = false});
          const auto replayed = simulator::replay(trace, *again);
          INFO("under " << model);
          CHECK(replayed.messages == simulated.sent.messages);
          CHECK(replayed.bytes == simulated.sent.elements * 4);
          CHECK(replayed.finish == simulated.finish);
        }
      }
}

// GOAL has no pieces: a comment says what the tags mean.
TEST_CASE("pieces of an exported trace leave one after another, as those of the schedule") {
  for (const char* name : {"chain", "tree", "double_tree", "bidirectional_ring"})
    for (const char* model : {"fluid", "packet"}) {
      const Config config = config_of(find_algorithm(name), 5, 4);
      const auto& kind = simulator::find_model(model);
      const auto network = simulator::make_network(kind, {}, 5);
      const auto again = simulator::make_network(kind, {}, 5);
      const auto concurrent = simulator::make_network(kind, {}, 5);
      const auto simulated =
          simulator::simulate(*config.algorithm, config.problem, 4, *network,
                              {.segments = config.segments, .symmetry = false, .sweep = false});
      auto trace = parse_goal(goal_trace(config), "exported");
      INFO(name << " under " << model);
      CHECK(trace.channels == config.algorithm->lanes);
      CHECK(simulator::replay(trace, *again).finish == simulated.finish);
      if (model != std::string_view("fluid")) continue;  // pieces are of one packet
      trace.channels = 0;
      CHECK(simulator::replay(trace, *concurrent).finish != simulated.finish);
    }
}

TEST_CASE("lanes of an exported trace are independent and differ in their tags") {
  const auto trace = parse_goal(goal_trace(config_of(find_algorithm("chain"), 2, 2)), "exported");
  REQUIRE(trace.ranks[1].operations.size() == 4);
  CHECK(trace.ranks[1].operations[0].tag == 0);
  CHECK(trace.ranks[1].operations[2].tag == 1);
  REQUIRE(trace.ranks[1].dependencies.size() == 2);
  CHECK(trace.ranks[1].dependencies[1] == simulator::Dependency{2, 3, false});
}
