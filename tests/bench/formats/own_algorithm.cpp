// OwnAlgorithm: planned once per problem, with counted or claimed costs, and a place for faults.
#include "bench/formats/own_algorithm.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// The rounds of an algorithm of the catalog, as a planner gives them.
std::vector<Script::Rounds> rounds_of(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Script::Rounds> all(static_cast<std::size_t>(problem.ranks));
  for (Rank me = 0; me < problem.ranks; ++me)
    for (Program program = algorithm.program(problem, me); program.next();)
      all[static_cast<std::size_t>(me)].emplace_back(program.round().begin(),
                                                     program.round().end());
  return all;
}

OwnAlgorithm own(int& plans) {
  return {.name = "own",
          .label = "own",
          .summary = "a copy",
          .source = "a test",
          .plan = [&plans](const Problem& problem) {
            ++plans;
            return rounds_of(find_algorithm("ring"), problem);
          }};
}

}  // namespace

TEST_CASE("an algorithm of planned rounds costs what its original does") {
  int plans = 0;
  const auto algorithm = algorithm_of(own(plans));
  const Algorithm& ring = find_algorithm("ring");
  for (const Rank ranks : {1, 2, 3, 8})
    for (const Count elements : {0, 1, 7, 1000}) {
      const Problem problem{.ranks = ranks, .elements = elements};
      CHECK(predicted_cost(*algorithm, problem) == predicted_cost(ring, problem));
      CHECK(count(*algorithm, problem).all == count(ring, problem).all);
      CHECK(predicted_rank_cost(*algorithm, problem, ranks - 1) ==
            predicted_rank_cost(ring, problem, ranks - 1));
    }
  CHECK(plans == 4);  // not again for other numbers of elements
}

TEST_CASE("a stride below one is a fault, also where costs are asked for first") {
  for (const Rank stride : {0, -1}) {
    int plans = 0;
    OwnAlgorithm given = own(plans);
    given.plan = [stride](const Problem&) {
      const Chunks still{0, 2, stride};
      return std::vector<Script::Rounds>{{{send(1, still), reduce(1, still)}},
                                         {{send(0, still), reduce(0, still)}}};
    };
    const auto algorithm = algorithm_of(std::move(given));
    const Problem problem{.ranks = 2, .elements = 10};
    CHECK(predicted_rank_cost(*algorithm, problem, 0).messages == 0);
    CHECK(verify(*algorithm, problem).fault.text.find("a stride is at least 1") !=
          std::string::npos);
  }
}

TEST_CASE("a closed form is computed once for each number of elements") {
  int plans = 0, calls = 0;
  OwnAlgorithm given = own(plans);
  given.cost = [&calls](const Problem& p) { return ++calls, Cost{p.ranks, p.elements, 1}; };
  const auto algorithm = algorithm_of(std::move(given));
  for (int i = 0; i < 3; ++i)
    CHECK(predicted_cost(*algorithm, {.ranks = 3, .elements = 9}) == Cost{3, 9, 1});
  CHECK(calls == 1);
  CHECK(algorithm->has_formula);
  CHECK(!algorithm_of(own(plans))->has_formula);
}

TEST_CASE("a fault says where its round is written") {
  int plans = 0;
  OwnAlgorithm given = own(plans);
  given.plan = [](const Problem& p) {
    std::vector<Script::Rounds> all(static_cast<std::size_t>(p.ranks));
    all.front() = {{send(1, p.chunk(0))}};
    all.back() = {{reduce(0, p.chunk(1))}};
    return all;
  };
  given.place = [](const Problem&, Rank rank, Count round) {
    return "line " + std::to_string(10 * rank + round);
  };
  const auto algorithm = algorithm_of(std::move(given));
  const Proof proof = verify(*algorithm, {.ranks = 2, .elements = 2});
  REQUIRE(!proof);
  CHECK(proof.fault.kind == Fault::Kind::mismatched);
  CHECK(proof.fault.place == "line " + std::to_string(10 * proof.fault.rank + 1));
  CHECK(proof.fault.text.ends_with("\n  " + proof.fault.place));
}

TEST_CASE("what a planner throws arrives, and it is asked again") {
  int calls = 0;
  OwnAlgorithm given{.name = "own", .label = "own", .summary = "", .source = ""};
  given.plan = [&calls](const Problem&) -> std::vector<Script::Rounds> {
    ++calls;
    fail(Blame::usage, "no plan");
  };
  const auto algorithm = algorithm_of(std::move(given));
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_AS(predicted_cost(*algorithm, {.ranks = 2, .elements = 2}), Error);
  CHECK(calls == 2);
}
