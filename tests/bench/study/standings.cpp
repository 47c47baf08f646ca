#include "bench/study/standings.hpp"

#include "tests/support/catch.hpp"

using namespace arlab::bench;

namespace {

// Tests with p-values that remain significant, or not, whatever their number here.
FastestTest differs(std::size_t contest) { return {contest, 1e-6, 1e-9}; }
FastestTest same(std::size_t contest) { return {contest, 0.5, 1e-9}; }
FastestTest too_few(std::size_t contest) { return {contest, 0.5, 0.5}; }

std::vector<Standing> outcomes(const std::vector<FastestTest>& tests) {
  return standings_of(tests).fastest;
}

}  // namespace

TEST_CASE("standings: nobody competes") {
  const Standings none = standings_of({});
  CHECK(none.tested.empty());
  CHECK(none.fastest.empty());
}

TEST_CASE("standings: one competitor without a verdict leaves the contest open") {
  using enum Standing;
  CHECK(outcomes({differs(0), differs(0)}) == std::vector{Standing::fastest});
  CHECK(outcomes({differs(0), same(0), differs(0)}) == std::vector{tie});
  CHECK(outcomes({same(0), too_few(0)}) == std::vector{undecided});
  CHECK(outcomes({too_few(0), same(0)}) == std::vector{undecided});
  CHECK(standings_of(std::vector{too_few(0), same(0), differs(0)}).tested ==
        std::vector{undecided, tie, slower});
}

TEST_CASE("standings: contests are apart, and p-values corrected over all of them") {
  using enum Standing;
  CHECK(outcomes({same(1), differs(0), too_few(2), differs(1)}) ==
        std::vector{Standing::fastest, tie, undecided});
  const Standings two = standings_of(std::vector<FastestTest>{{0, 0.03, 0.01}, {1, 0.03, 0.01}});
  CHECK(two.p == std::vector{0.06, 0.06});  // Holm: twice the smaller
  CHECK(two.fastest == std::vector{tie, tie});
  // A p-value that not even the clearest difference makes significant among six tests.
  CHECK(standings_of(std::vector<FastestTest>(6, {0, 0.01, 0.01})).fastest.front() == undecided);
}
