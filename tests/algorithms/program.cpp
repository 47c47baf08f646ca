#include "algorithms/program.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

Program two_rounds(Problem p, Rank me) {
  co_yield send(p.wrap(Count{me} + 1), p.chunk(me));
  co_yield together(send(0, p.all()), reduce(1, p.chunk(0)));
}

Program nothing(Problem, Rank) { co_return; }

// Rounds of two other programs, one after the other.
Program twice(Problem p, Rank me) {
  for (Program part = two_rounds(p, me); part.next();) co_yield part.round();
  for (Program part = two_rounds(p, me + 1); part.next();) co_yield part.round();
}

Program throws_after_a_round(Problem p, Rank me) {
  co_yield send(me, p.all());
  throw std::runtime_error("from inside");
}

const Problem kProblem{.ranks = 4, .elements = 4};

}  // namespace

TEST_CASE("a program is moved, never copied") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Program>);
  STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Program>);
  Program a = two_rounds(kProblem, 2);
  REQUIRE(a.next());
  Program b = std::move(a);
  CHECK(b.round().front() == send(3, {2, 1}));
  Program c;
  c = std::move(b);
  REQUIRE(c.next());
  CHECK(c.round().size() == 2);
  CHECK_FALSE(c.next());
}

TEST_CASE("programs end in any order and on any thread") {
  std::vector<Program> programs;
  for (int i = 0; i < 3000; ++i) programs.push_back(two_rounds(kProblem, i % 4));  // several slabs
  for (Program& program : programs) REQUIRE(program.next());
  for (std::size_t i = 0; i < programs.size(); i += 2) programs[i] = {};
  for (std::size_t i = 0; i < programs.size(); i += 2) programs[i] = twice(kProblem, 1);
  const std::size_t half = programs.size() / 2;
  std::vector<Program> others(half);
  std::swap_ranges(others.begin(), others.end(), programs.begin());
  std::thread elsewhere([&others] {
    others.clear();
    for (int i = 0; i < 3000; ++i) others.push_back(two_rounds(kProblem, 2));
  });
  for (std::size_t i = half; i < programs.size(); ++i) {
    REQUIRE(programs[i].next());
    CHECK(programs[i].round().front().peer == (i % 2 == 0 ? 2 : 0));
  }
  programs.clear();
  elsewhere.join();
  REQUIRE(others.size() == 3000);
  for (Program& program : others) {
    REQUIRE(program.next());
    CHECK(program.round().front() == send(3, {2, 1}));
  }
}

TEST_CASE("a program is lazy and yields its rounds in order") {
  Program p = two_rounds(kProblem, 3);
  REQUIRE(p.next());
  REQUIRE(p.round().size() == 1);
  CHECK(p.round()[0] == send(0, {3, 1}));
  REQUIRE(p.next());
  CHECK(p.round()[1] == reduce(1, {0, 1}));
  CHECK_FALSE(p.next());
  CHECK_FALSE(nothing(kProblem, 0).next());
  const Program never_started = two_rounds(kProblem, 0);  // is freed, too
}

TEST_CASE("a program may yield the rounds of others") {
  Rounds expected = rounds_of(two_rounds(kProblem, 1));
  for (const auto& round : rounds_of(two_rounds(kProblem, 2))) expected.push_back(round);
  CHECK(rounds_of(twice(kProblem, 1)) == expected);
}

TEST_CASE("next() lets an exception of the program pass") {
  Program p = throws_after_a_round(kProblem, 0);
  REQUIRE(p.next());
  CHECK_THROWS_WITH(p.next(), "from inside");
}

TEST_CASE("an action knows its direction") {
  CHECK(send(1, {0, 1}).sends());
  CHECK_FALSE(reduce(1, {0, 1}).sends());
  CHECK_FALSE(replace(1, {0, 1}).sends());
}
