#include "algorithms/rank_grid.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;

TEST_CASE("a grid numbers its ranks with the first dimension fastest") {
  const RankGrid grid({4, 3});
  CHECK(grid.ranks() == 12);
  CHECK(grid.text() == "4x3");
  CHECK(grid.coordinate(7, 0) == 3);
  CHECK(grid.coordinate(7, 1) == 1);
  CHECK(grid.moved(7, 0, 1) == 4);
  CHECK(grid.moved(7, 1, 2) == 3);
  CHECK(grid.moved(0, 1, -1) == 8);
  CHECK(grid.moved(5, 0, 8) == 5);
}

TEST_CASE("a grid rejects sizes below one and more ranks than there are numbers") {
  CHECK(failure([] { RankGrid({2, 0}); }) == "2: the grid 2x0 has a size of 0: each size is at least 1");
  CHECK(failure([] { RankGrid({65536, 65536}); }) ==
        "2: the grid 65536x65536 has more ranks than 2147483647: give smaller sizes");
  const RankGrid grid({2, 2});
  CHECK(failure([&] { check(Problem{.ranks = 5, .grid = &grid}); }) ==
        "2: the grid 2x2 has 4 ranks, but the problem has 5: give sizes whose product is the number of "
        "ranks");
}
