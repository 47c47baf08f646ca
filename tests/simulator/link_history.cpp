// LinkHistory keeps all bytes for runs of any length.
#include "simulator/link_history.hpp"

#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST_CASE("the history of a short run has one step per picosecond") {
  LinkHistory history;
  history.add(2, 0_ps, 3_ps, 5);
  history.add(2, 2_ps, 4_ps, 1);
  CHECK(history.step() == 1_ps);
  CHECK(history.carried(2, 4_ps) == std::vector<double>{5, 5, 6, 1});
  CHECK(history.carried(2, 2_ps) == std::vector<double>{5, 5});
  CHECK(history.carried(0, 4_ps) == std::vector<double>(4));   // an unused link
  CHECK(history.carried(99, 4_ps) == std::vector<double>(4));  // an unknown link
}

TEST_CASE("steps double with the length of the run and keep their bytes") {
  LinkHistory history;
  history.add(0, 0_ps, 64_ps, 1);
  CHECK(history.step() == 1_ps);
  history.add(1, 64_ps, 65_ps, 7);
  CHECK(history.step() == 2_ps);
  CHECK(history.carried(0, 65_ps).size() == 33);
  CHECK(history.carried(0, 65_ps)[31] == 2);
  CHECK(history.carried(0, 65_ps)[32] == 0);
  CHECK(history.carried(1, 65_ps)[32] == 7);
  history.add(1, 1'000'000_ps, 1'000'001_ps, 3);
  CHECK(history.step() == 16384_ps);
  CHECK(history.carried(1, 1'000'001_ps).size() == 62);
  CHECK(history.carried(1, 1'000'001_ps)[61] == 3);
  CHECK(sum(history.carried(0, 1'000'001_ps)) == 64);
  CHECK(sum(history.carried(1, 1'000'001_ps)) == 10);
}

TEST_CASE("empty spans record nothing, and the latest time fits") {
  LinkHistory history;
  history.add(0, 5_ps, 5_ps, 9);
  history.add(0, 7_ps, 6_ps, 9);
  CHECK(history.carried(0, 10_ps) == std::vector<double>(10));
  history.add(0, 0_ps, kLatest, 1);
  CHECK(sum(history.carried(0, kLatest)) == Approx(picoseconds(kLatest)));
}
