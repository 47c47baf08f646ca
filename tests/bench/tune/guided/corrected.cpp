// corrected: a model's times moved by measured ones, by hand-made cells.
#include "bench/tune/guided/corrected.hpp"

#include <cmath>

#include "bench/tune/guided/gap_error.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

TuneCell pair_at(Bytes bytes, double ring, double tree, Rank ranks = 4) {
  TuneCell c{.ranks = ranks, .elements = bytes / 4, .bytes = bytes, .candidates = {}};
  c.candidates = {{{"ring", 1}, ring}, {{"tree", 1}, tree}};
  return c;
}

double us_of(const TuneCell& c, std::size_t candidate) { return c.candidates[candidate].median_us; }

}  // namespace

TEST_CASE("guided tuning: factors are interpolated between measured sizes, and constant beyond") {
  std::vector<TuneCell> predicted, measured{pair_at(1 << 10, 20, 10), pair_at(1 << 20, 80, 40)};
  for (const int power : {5, 10, 15, 20, 25})
    predicted.push_back(pair_at(Bytes{1} << power, 10, 10));
  const auto all = corrected(predicted, measured);
  REQUIRE(all.size() == 5);
  // ring is 2 times as slow as predicted at 1 KiB, and 8 times at 1 MiB: 4 times half way.
  CHECK(us_of(all[0], 0) == Approx(20));
  CHECK(us_of(all[1], 0) == Approx(20));
  CHECK(us_of(all[2], 0) == Approx(40).epsilon(0.01));
  CHECK(us_of(all[3], 0) == Approx(80));
  CHECK(us_of(all[4], 0) == Approx(80));
  // tree is right at 1 KiB, and 4 times as slow at 1 MiB.
  CHECK(us_of(all[1], 1) == Approx(10));
  CHECK(us_of(all[2], 1) == Approx(20).epsilon(0.01));
}

TEST_CASE("guided tuning: what was not measured keeps its time") {
  TuneCell lacks_tree = pair_at(1024, 30, 0);
  lacks_tree.candidates.pop_back();
  const auto all =
      corrected({pair_at(1024, 10, 10), pair_at(2048, 10, 10), pair_at(2048, 10, 10, 8)},
                {lacks_tree, pair_at(4096, 50, 50)});  // 4096 was not predicted
  CHECK(us_of(all[1], 0) == Approx(30));
  CHECK(us_of(all[1], 1) == 10);
  CHECK(us_of(all[2], 0) == 10);  // another number of ranks
  CHECK(us_of(corrected({pair_at(1024, 0, 10)}, {pair_at(1024, 5, 20)})[0], 0) == 0);
}

TEST_CASE("guided tuning: the error of corrected times is that of a size between two others") {
  const std::vector<TuneCell> predicted{pair_at(1023, 10, 10), pair_at((1 << 15) - 1, 10, 10),
                                        pair_at((1 << 20) - 1, 10, 10), pair_at(1023, 10, 10, 8)};
  // Both are slower by a factor that grows with the size, tree by 1.5 times as much as expected at 32 KiB.
  const std::vector<TuneCell> measured{pair_at(1023, 10, 10), pair_at((1 << 15) - 1, 20, 30),
                                       pair_at((1 << 20) - 1, 40, 40), pair_at(1023, 7, 9, 8)};
  const auto between = corrected_by_others(predicted, measured);
  REQUIRE(between.size() == 1);
  CHECK(between[0].bytes == (1 << 15) - 1);
  CHECK(us_of(between[0], 0) == Approx(20));
  CHECK(us_of(between[0], 1) == Approx(20));
  CHECK(gap_error(between, measured) == Approx(std::log(1.5)));
}
