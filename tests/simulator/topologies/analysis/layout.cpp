#include "simulator/topologies/analysis/layout.hpp"

#include <algorithm>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("neighbors of a grid are 150 apart, or as far as the width allows") {
  const Drawing few = draw(make_topology("mesh:dims=3x2"));
  CHECK(few.at[1].x - few.at[0].x == Approx(150));
  CHECK(few.at[1].y == few.at[0].y);
  CHECK(few.at[3].y - few.at[0].y == Approx(150));
  CHECK(few.at[3].x == few.at[0].x);
  const Drawing many = draw(make_topology("mesh:dims=20x2"));
  CHECK(many.at[19].x - many.at[0].x == Approx(19 * (1200 - 2 * 60) / 19.5));
}

TEST_CASE("every topology is drawn within its margins") {
  for (const TopologyKind& kind : topologies()) {
    const Topology topology = make_topology(kind.name);
    const Drawing drawing = draw(topology);
    INFO(kind.name);
    REQUIRE(drawing.at.size() == static_cast<std::size_t>(topology.nodes()));
    for (const Point& at : drawing.at) {
      REQUIRE(at.x >= Drawing::kMargin);
      REQUIRE(at.x <= Drawing::kWidth - Drawing::kMargin);
      REQUIRE(at.y >= Drawing::kMargin);
      REQUIRE(at.y <= drawing.height - Drawing::kMargin);
    }
  }
}
