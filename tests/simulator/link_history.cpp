// Link histories: what is put in comes out, whatever the length of the run; and what the models
// write down is what they carried.
#include "simulator/link_history.hpp"

#include <numeric>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST_CASE("a history of a short run has a step for each picosecond") {
  LinkHistory history;
  history.add(2, 0, 3, 5);
  history.add(2, 2, 4, 1);
  CHECK(history.step() == 1);
  CHECK(history.carried(2, 4) == std::vector<double>{5, 5, 6, 1});
  CHECK(history.carried(2, 2) == std::vector<double>{5, 5});
  CHECK(history.carried(0, 4) == std::vector<double>(4));   // never used
  CHECK(history.carried(99, 4) == std::vector<double>(4));  // nor known
}

TEST_CASE("steps double as the run gets longer, and keep what there was") {
  LinkHistory history;
  history.add(0, 0, 64, 1);
  CHECK(history.step() == 1);
  history.add(1, 64, 65, 7);
  CHECK(history.step() == 2);
  CHECK(history.carried(0, 65).size() == 33);
  CHECK(history.carried(0, 65)[31] == 2);
  CHECK(history.carried(0, 65)[32] == 0);
  CHECK(history.carried(1, 65)[32] == 7);
  history.add(1, 1'000'000, 1'000'001, 3);
  CHECK(history.step() == 16384);
  CHECK(history.carried(1, 1'000'001).size() == 62);
  CHECK(history.carried(1, 1'000'001)[61] == 3);
  CHECK(sum(history.carried(0, 1'000'001)) == 64);
  CHECK(sum(history.carried(1, 1'000'001)) == 10);
}

TEST_CASE("nothing carried is nothing written, and the latest time fits") {
  LinkHistory history;
  history.add(0, 5, 5, 9);
  history.add(0, 7, 6, 9);
  CHECK(history.carried(0, 10) == std::vector<double>(10));
  history.add(0, 0, kLatest, 1);
  CHECK(sum(history.carried(0, kLatest)) == Approx(static_cast<double>(kLatest)));
}
