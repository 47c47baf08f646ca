#include "bench/simulate/fastest.hpp"

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("no simulation undercuts the least time of the closed forms") {
  constexpr Bytes kElement = 4;
  const Values kOthers{{"alpha", 1000}, {"beta", 7.3}, {"L", 0},   {"o", 97},
                       {"g", 311},      {"G", 2.7},    {"O", 3.9}, {"S", 2000}};
  int near = 0;
  for (const char* model : {"alpha_beta", "loggops"})
    for (const Values& values : {Values{}, kOthers})
      for (const Rank ranks : {1, 2, 7, 16})
        for (const Count elements : {1, 5, 13, 100, 1600})
          for (const Algorithm& algorithm : algorithms()) {
            const Problem p = grouped(algorithm, {.ranks = ranks, .elements = elements});
            const int segments = elements > 100 && ranks < 16 ? 3 : 1;
            if (!unsupported(algorithm, p).empty()) continue;
            INFO(algorithm.name << " on " << ranks << ", " << elements << " elements, " << model);
            const auto network =
                simulator::make_network(simulator::find_model(model), values, ranks);
            const Time bound = least_time(*network->uniform(), algorithm, p, segments, kElement);
            const Time finish =
                simulator::simulate(algorithm, p, kElement, *network, {.segments = segments})
                    .finish;
            CHECK(bound <= finish);
            near += finish > Time{} && bound > finish / 2;
          }
  CHECK(near > 100);  // and it is of use
}

TEST_CASE("the longest chain of rounds is one of messages that depend on one another") {
  constexpr Time kHop{1000};  // with nothing but latency, time counts the messages of the chain
  const Values latency{{"L", 1000}, {"o", 0}, {"g", 0}, {"G", 0}, {"O", 0}};
  const auto check = [&](const Algorithm& algorithm, const Problem& p) {
    if (!unsupported(algorithm, p).empty()) return;
    INFO(algorithm.name << " on " << p.ranks << ", " << p.elements << " elements");
    const auto network =
        simulator::make_network(simulator::find_model("loggops"), latency, p.ranks);
    const Count messages = simulator::simulate(algorithm, p, 4, *network).finish / kHop,
                rounds = predicted_cost(algorithm, p).rounds;
    if ((p.ranks & (p.ranks - 1)) == 0) CHECK(messages == rounds);
    CHECK(messages <= rounds);
    CHECK(messages >= rounds - 2);
  };
  for (const Algorithm* const algorithm : tested_algorithms())
    for (Rank ranks = 1; ranks <= 64; ++ranks) {
      const Problem p = grouped(*algorithm, {.ranks = ranks, .elements = Count{ranks} * 120});
      if (algorithm->chained != Chained::no) check(*algorithm, p);
      if (algorithm->chained == Chained::any_chunk && (ranks & (ranks - 1)) == 0)
        for (const Count elements : {Count{1}, ranks / 2 + Count{1}, ranks - Count{1}})
          if (elements > 0) check(*algorithm, {.ranks = ranks, .elements = elements});
    }
}

TEST_CASE("the messages of the longest chain carry the claimed elements") {
  // With nothing but latency and a time per byte, a chain takes as long as its messages.
  const Values costs{{"L", 1000}, {"o", 0}, {"g", 0}, {"G", 1}, {"O", 0}};
  int checked = 0;
  for (const Algorithm* const algorithm : tested_algorithms())
    for (Rank ranks = 1; algorithm->chain_elements && ranks <= 64; ranks *= 2)
      for (const Collective collective : kCollectives)
        for (const Count elements : {Count{1}, ranks / 4 + Count{1}, ranks / 2 + Count{0},
                                     ranks + Count{0}, ranks * Count{7} + 5}) {
          const Problem p{.collective = collective, .ranks = ranks, .elements = elements};
          if (elements < 1 || !unsupported(*algorithm, p).empty()) continue;
          INFO(algorithm->name << " " << name(collective) << " on " << ranks << ", " << elements
                               << " elements");
          const auto network =
              simulator::make_network(simulator::find_model("loggops"), costs, ranks);
          const Count rounds = predicted_cost(*algorithm, p).rounds;
          const Time chain{rounds * 1000 + algorithm->chain_elements(p) * 4 - rounds};
          const Time finish = simulator::simulate(*algorithm, p, 4, *network).finish;
          CHECK(chain <= finish);
          CHECK(finish <= chain + chain / 50);  // another chain has a little more
          if (elements % ranks == 0 || elements == 1) CHECK(finish == chain);
          ++checked;
        }
  CHECK(checked > 150);
}

TEST_CASE("cells are sorted by their effort, and keep their best") {
  const auto config = [](const char* algorithm, Rank ranks) {
    Config c;
    c.algorithm = &find_algorithm(algorithm);
    c.problem = {.ranks = ranks, .elements = 64};
    return c;
  };
  std::vector<Config> configs{config("ring", 8),  config("tree", 8),  config("butterfly", 8),
                              config("chain", 8), config("ring", 16), config("tree", 16)};
  Fastest::sort(configs, [](const Config& c) {
    if (c.algorithm->name == "chain") return Fastest::Outlook{1e9, Time{1}};  // much effort
    return Fastest::Outlook{100, c.algorithm->name == "ring" ? Time{9} : Time{2}};
  });
  std::string order;
  for (const Config& c : configs)
    order += std::string(c.algorithm->name) + " " + std::to_string(c.problem.ranks) + " ";
  CHECK(order == "tree 8 butterfly 8 ring 8 chain 8 tree 16 ring 16 ");
  Fastest fastest;
  CHECK(fastest.best(configs[0]).time == simulator::kNever);
  fastest.best(configs[0]) = {Time{5}, "tree"};
  CHECK(fastest.best(configs[2]).time == Time{5});
  CHECK(fastest.best(configs[4]).time == simulator::kNever);
}
