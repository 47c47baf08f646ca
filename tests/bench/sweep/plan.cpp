#include "bench/sweep/plan.hpp"

#include "tests/support/catch.hpp"

using namespace arlab::bench;

TEST_CASE("plan: times are written in the unit that suits them") {
  CHECK(show_seconds(0.25) == "250 ms");
  CHECK(show_seconds(119) == "119 s");
  CHECK(show_seconds(120) == "2 min");
  CHECK(show_seconds(7000) == "117 min");
  CHECK(show_seconds(2 * 3600) == "2 h");
  CHECK(show_seconds(100 * 3600) == "100 h");
}
