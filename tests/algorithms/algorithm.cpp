#include "algorithms/algorithm.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

TEST_CASE("every entry of the catalog has all texts that tables and plots need") {
  std::set<std::string_view> names, colors;
  for (const Algorithm& a : algorithms()) {
    INFO(a.name);
    names.insert(a.name);
    colors.insert(a.color);
    CHECK(&find_algorithm(a.name) == &a);
    CHECK_FALSE(a.label.empty());
    CHECK((a.color.size() == 7 && a.color[0] == '#'));
    CHECK((a.family == "whole" || a.family == "split"));
    CHECK_FALSE(a.summary.empty());
    CHECK_FALSE(a.source.empty());
    CHECK_FALSE(a.formula.messages.empty());
    CHECK_FALSE(a.formula.elements.empty());
    CHECK_FALSE(a.formula.rounds.empty());
    CHECK(std::count(a.collectives.begin(), a.collectives.end(), Collective::allreduce) == 1);
  }
  CHECK(names.size() == algorithms().size());
  CHECK(colors.size() == algorithms().size());
  for (const char* name :
       {"all_to_all", "master_worker", "tree", "butterfly", "round_robin", "ring"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("find_algorithm suggests the nearest name") {
  const auto text = [](std::string_view name) {
    return error_text(Blame::usage, [&] { find_algorithm(name); });
  };
  const auto begins = [&](std::string_view name, const std::string& begin) {
    INFO(text(name));
    return text(name).starts_with(begin);
  };
  CHECK(begins("rign", "unknown algorithm 'rign', did you mean 'ring'? (one of all_to_all, "));
  CHECK(begins("butterly", "unknown algorithm 'butterly', did you mean 'butterfly'? (one of "));
  CHECK(
      begins("master-worker", "unknown algorithm 'master-worker', did you mean 'master_worker'?"));
  CHECK(begins("", "unknown algorithm '': use one of all_to_all, "));
  CHECK(begins("quantum_teleport", "unknown algorithm 'quantum_teleport': use one of "));
}

TEST_CASE("find_algorithm rejects settings of an algorithm without parameters") {
  CHECK(error_text(Blame::usage, [] { find_algorithm("butterfly:k=2,j=3"); }) ==
        "algorithm butterfly has no parameters, but the settings are 'k=2,j=3': leave them out");
}

TEST_CASE("settings are in the name and in the label") {
  const Algorithm& three = find_algorithm("recursive_multiplying:k=3");
  CHECK(three.name == "recursive_multiplying:k=3");
  CHECK(three.label == "Rec. multiply k=3");
  CHECK(find_algorithm("recursive_multiplying").label == "Rec. multiply");
}

TEST_CASE("unsupported returns the reason") {
  const Algorithm& butterfly = find_algorithm("butterfly");
  CHECK(unsupported(butterfly, {.ranks = 7}).empty());
  CHECK(unsupported(butterfly, {.collective = Collective::broadcast, .ranks = 7}) ==
        "butterfly has no broadcast form");
  Algorithm picky = butterfly;
  picky.unsupported_reason = [](const Problem& p) -> std::string {
    return p.ranks == 7 ? "not at 7 ranks" : "";
  };
  CHECK(unsupported(picky, {.ranks = 7}) == "not at 7 ranks");
  CHECK(unsupported(picky, {.ranks = 8}).empty());
}

TEST_CASE("lanes cover the vector, lanes without elements are left out") {
  Algorithm two_lanes = find_algorithm("tree");
  two_lanes.lanes = 2;
  for (const Count elements : {0, 1, 5, 1000})
    for (const int segments : {1, 2, 7}) {
      const std::vector<Lane> lanes =
          lanes_of(two_lanes, {.ranks = 4, .elements = elements}, segments);
      REQUIRE(lanes.size() == static_cast<std::size_t>(std::min<Count>(elements, 2 * segments)));
      Count next = 0;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        REQUIRE(lanes[i].offset == next);
        REQUIRE(lanes[i].problem.elements > 0);
        REQUIRE(lanes[i].problem.lane == static_cast<std::int32_t>(i % 2));
        next += lanes[i].problem.elements;
      }
      REQUIRE(next == elements);
    }
}

TEST_CASE("lanes_of rejects segments that cannot work") {
  const Algorithm& ring = find_algorithm("ring");
  const auto text = [&](const Problem& p, int segments) {
    return error_text(Blame::usage, [&] { lanes_of(ring, p, segments); });
  };
  CHECK(text({.ranks = 4, .elements = 8}, 0) == "segments is 0: give at least 1");
  CHECK(
      text({.collective = Collective::all_gather, .ranks = 4, .elements = 8}, 2) ==
      "with segments, all_gather would end with several pieces per rank instead of one chunk: use "
      "1 segment");
  CHECK(text({.ranks = 0}, 1) == "ranks is 0: give at least 1");
}
