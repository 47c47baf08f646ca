#include "simulator/topologies/fabric.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

double average_of(const char* topology, Rank ranks) {
  return average_route(*build_fabric({.topology = topology}, ranks));
}

}  // namespace

TEST_CASE("the average route between two ranks") {
  CHECK(average_of("crossbar", 5) == 2);
  CHECK(average_of("full_mesh", 5) == 1);
  CHECK(average_of("ring:hosts=4", 4) == Approx((1 + 2 + 1) / 3.));
  CHECK(average_of("mesh:dims=3", 3) == Approx((1 + 2 + 1 + 1 + 2 + 1) / 6.));
  CHECK(average_of("mesh:dims=3", 2) == 1);
  CHECK(average_of("crossbar", 1) == 0);
}

TEST_CASE("the average route between many ranks is that of a sample") {
  CHECK(average_of("crossbar", 500) == 2);
  CHECK(average_of("full_mesh", 200) == 1);
}
