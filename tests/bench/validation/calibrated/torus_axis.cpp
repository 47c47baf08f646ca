#include "bench/validation/calibrated/torus_axis.hpp"

#include <cstdlib>
#include <set>

#include "bench/validation/calibrated/torus_rounds.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

int hops_between(const TorusAxis& axis, Rank a, Rank b) {
  int hops = 0;
  const std::vector<Rank> from = axis.place(a), to = axis.place(b);
  for (std::size_t j = 0; j < from.size(); ++j) {
    const Rank up = std::abs(to[j] - from[j]);
    hops += axis.ring() ? std::min(up, axis.sizes()[j] - up) : up;
  }
  return hops;
}

}  // namespace

TEST_CASE("neighbors in a dimension of the job are neighbors on the machine, around its end") {
  for (const std::vector<Rank>& sizes :
       {std::vector<Rank>{2, 2, 2}, {4, 4, 4}, {8, 8, 8}, {64, 64}, {32, 256}, {64, 128}}) {
    const RankGrid grid(sizes);
    const std::vector<TorusAxis> axes = torus_axes(grid);
    for (int d = 0; d < grid.dimensions(); ++d) {
      const TorusAxis& axis = axes[index(d)];
      INFO(grid.text() << " dimension " << d);
      std::set<Rank> numbers;
      for (Rank i = 0; i < grid.size(d); ++i) {
        numbers.insert(axis.number(axis.place(i)));
        CHECK(hops_between(axis, i, (i + 1) % grid.size(d)) == 1);
      }
      CHECK(numbers.size() == index(grid.size(d)));
    }
  }
}

TEST_CASE("a dimension that fits on two rows is a ring, a longer one lies on three axes") {
  for (const TorusAxis& axis : torus_axes(RankGrid({4, 8, 32}))) CHECK(axis.ring());
  const std::vector<TorusAxis> plane = torus_axes(RankGrid({64, 64}));
  CHECK(plane[0].sizes() == std::vector<Rank>{16, 2, 2});  // Y, B, C
  CHECK(plane[1].sizes() == std::vector<Rank>{4, 8, 2});   // Z, X, A
  CHECK(torus_axes(RankGrid({32, 256}))[1].sizes() == std::vector<Rank>{8, 16, 2});
}

TEST_CASE("far partners load links less where a dimension lies on several axes") {
  const std::vector<TorusRound> plane = torus_rounds(RankGrid({64, 64}), 1, false);
  REQUIRE(plane.size() == 12);
  double sum = 0;
  for (const TorusRound& round : plane) {
    CHECK(round.beside_ring);
    CHECK(round.load >= 1);
    CHECK(round.hops <= 32);
    sum += round.load;
  }
  CHECK(sum < 0.6 * 2 * 47);  // two rings of 64: 1 + 2 + 4 + 8 + 16 + 16 each
  CHECK(!torus_rounds(RankGrid({4, 4}), 1, false)[0].beside_ring);
}
