// The dimensions of grids, against a search of all of them.
#include "simulator/topologies/build/grid.hpp"

#include <tuple>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using Dims = std::vector<std::int32_t>;

// By the documentation: the fewest hosts, then the shortest first dimension, then the second. The
// longest dimension is first and at most twice as long as the shortest.
Dims searched(Rank hosts) {
  std::tuple<Rank, Rank, Rank, Rank> best{1 << 20, 0, 0, 0};
  for (Rank a = 1; a <= hosts; ++a)
    for (Rank b = (a + 1) / 2; b <= a; ++b)
      for (Rank c = (a + 1) / 2; c <= b; ++c)
        if (a * b * c >= hosts) best = std::min(best, {a * b * c, a, b, c});
  const auto [size, a, b, c] = best;
  return {a, b, c};
}

}  // namespace

TEST_CASE("a torus for any number of hosts is the smallest that is not long and thin") {
  for (Rank hosts = 1; hosts <= 130; ++hosts) {
    INFO(hosts << " hosts");
    CHECK(balanced_dimensions(hosts, 3) == searched(hosts));
  }
  CHECK(balanced_dimensions(63, 3) == Dims{4, 4, 4});  // 7x3x3 is too long
  CHECK(balanced_dimensions(64, 3) == Dims{4, 4, 4});
  CHECK(balanced_dimensions(65, 3) == Dims{6, 4, 3});
  CHECK(balanced_dimensions(12, 2) == Dims{4, 3});
  CHECK(balanced_dimensions(7, 2) == Dims{4, 2});
  CHECK(balanced_dimensions(5, 1) == Dims{5});
  CHECK(balanced_dimensions(1000, 3) == Dims{10, 10, 10});
  CHECK(make_topology("torus", 63).hosts() == 64);
  CHECK(make_topology("torus", 63).spec() == "torus:dims=4x4x4");
  CHECK(make_topology("mesh", 17).spec() == "mesh:dims=" + to_string(searched(17)));
}
