#include "bench/sweep/fastest.hpp"

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("no simulation undercuts the time for which ranks are busy") {
  constexpr Bytes kElement = 4;
  const Values kOthers{{"alpha", 1000}, {"beta", 7.3}, {"L", 0},   {"o", 97},
                       {"g", 311},      {"G", 2.7},    {"O", 3.9}, {"S", 2000}};
  int near = 0;
  for (const char* model : {"alpha_beta", "loggops"})
    for (const Values& values : {Values{}, kOthers})
      for (const Rank ranks : {1, 2, 7, 16})
        for (const Count elements : {1, 100, 1600})
          for (const Algorithm& algorithm : algorithms()) {
            const Problem p = grouped(algorithm, {.ranks = ranks, .elements = elements});
            if (!unsupported(algorithm, p).empty()) continue;
            INFO(algorithm.name << " on " << ranks << ", " << elements << " elements, " << model);
            const auto network =
                simulator::make_network(simulator::find_model(model), values, ranks);
            const Time bound =
                busy_time(*network->uniform(), predicted_cost(algorithm, p), ranks, kElement);
            const Time finish = simulator::simulate(algorithm, p, kElement, *network).finish;
            CHECK(bound <= finish);
            near += finish > Time{} && bound > finish / 2;
          }
  CHECK(near > 100);  // and it is of use
}

TEST_CASE("cells are sorted by their effort, and keep their best") {
  const auto config = [](const char* algorithm, Rank ranks) {
    Config c;
    c.algorithm = &find_algorithm(algorithm);
    c.problem = {.ranks = ranks, .elements = 64};
    return c;
  };
  std::vector<Config> configs{config("ring", 8), config("tree", 8), config("butterfly", 8),
                              config("ring", 16), config("tree", 16)};
  Fastest::sort(configs, [](const Config& c) { return c.algorithm->name == "ring" ? 9 : 1; });
  std::string order;
  for (const Config& c : configs)
    order += std::string(c.algorithm->name) + " " + std::to_string(c.problem.ranks) + " ";
  CHECK(order == "tree 8 butterfly 8 ring 8 tree 16 ring 16 ");
  Fastest fastest;
  CHECK(fastest.best(configs[0]).time == simulator::kNever);
  fastest.best(configs[0]) = {Time{5}, "tree"};
  CHECK(fastest.best(configs[2]).time == Time{5});
  CHECK(fastest.best(configs[3]).time == simulator::kNever);
}
