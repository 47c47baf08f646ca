// Trees of ranks whose links are not alike.
#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/parts/rank_trees.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;

namespace {

// How long each rank is busy, in times of the whole vector at rate 1.
std::vector<double> busy(const std::vector<double>& rates, const Forest& forest) {
  std::vector<double> times;
  for (Rank r = 0; r < forest.ranks(); ++r) {
    double neighbors = 0;
    for (std::size_t t = 0; t < forest.trees().size(); ++t)
      neighbors +=
          static_cast<double>(forest.children(t, r).size()) + (forest.trees()[t].root == r ? 0 : 1);
    times.push_back(neighbors / static_cast<double>(forest.trees().size()) / rates[index(r)]);
  }
  return times;
}

std::vector<double> random_rates(Rank ranks, std::uint32_t& random) {
  std::vector<double> rates;
  for (Rank r = 0; r < ranks; ++r)
    rates.push_back(1 + ((random = random * 747796405u + 2891336453u) >> 8) % 15);
  return rates;
}

}  // namespace

TEST_CASE("no rank is busy for longer than 4% above what the rates allow") {
  std::uint32_t random = 1;
  for (Rank ranks = 2; ranks <= 64; ++ranks) {
    const std::vector<double> rates = random_rates(ranks, random);
    const Forest forest = trees_for(rates);
    const std::vector<double> times = busy(rates, forest);
    const double least =
        std::max(least_busy_time(rates), 1 / *std::min_element(rates.begin(), rates.end()));
    INFO(ranks << " ranks, " << forest.trees().size() << " trees");
    CHECK(*std::max_element(times.begin(), times.end()) <= 1.04 * least);
    CHECK(forest.trees().size() <= std::max<std::size_t>(2 * index(ranks), 32));
    for (std::size_t t = 0; t < forest.trees().size(); ++t) CHECK(forest.height(t) <= 4);
  }
}

TEST_CASE("the least time is that of the bisection by hand") {
  // Four ranks of rates 1, 1, 1, 3: (t - 1) * 3 + (3t - 1) = 2 from t = 1 on.
  CHECK(least_busy_time(std::vector<double>{1, 1, 1, 3}) == Approx(1));
  CHECK(least_busy_time(std::vector<double>(16, 2)) == Approx((1 + 14. / 16) / 2));
  CHECK(least_busy_time(std::vector<double>{1, 3}) == 0);
}

TEST_CASE("equal ranks have a star each, and one of half the rate is a leaf everywhere") {
  std::vector<double> rates(16, 2.0);
  rates[3] = 1;
  const Forest one_slow = trees_for(rates);
  REQUIRE(one_slow.trees().size() == 15);
  for (std::size_t t = 0; t < 15; ++t) {
    CHECK(one_slow.height(t) == 1);
    CHECK(one_slow.trees()[t].root != 3);
  }
  CHECK(busy(rates, one_slow)[0] == Approx((1 + 14. / 15) / 2));
  rates[3] = 2;
  const Forest equal = trees_for(rates);
  for (std::size_t t = 0; t < equal.trees().size(); ++t) CHECK(equal.height(t) <= 2);
  for (const double time : busy(rates, equal))
    CHECK(time == Approx((1 + 14. / 16) / 2).epsilon(0.02));
  CHECK(trees_for(std::vector<double>{5}).ranks() == 1);
  CHECK(trees_for(std::vector<double>{1, 3}).trees().size() == 2);
}

TEST_CASE("weighted is proved at every number of ranks up to 64") {
  for (Rank ranks = 1; ranks <= 64; ++ranks)
    for (const char* spec : {"weighted:rates=1x2", "weighted:rates=9", "weighted:rates=7x3x1x5"}) {
      const Algorithm& algorithm = find_algorithm(spec);
      const bool few = ranks <= 8, third = spec[15] == '7';
      for (const Count elements : {Count{0}, Count{1}, Count{ranks} - 1, Count{300}}) {
        if (!few && (elements != 300 || !third)) continue;
        const Problem p{.ranks = ranks, .elements = elements};
        if (!unsupported(algorithm, p).empty()) continue;
        INFO(spec << " on " << ranks << " ranks, " << elements << " elements");
        CHECK(verify(algorithm, p));
      }
    }
}

TEST_CASE("wrong rates are refused by name") {
  CHECK_THROWS_AS(find_algorithm("weighted:rates=0x1"), Error);
  CHECK_THROWS_AS(find_algorithm("weighted:rates="), Error);
  CHECK_THROWS_AS(find_algorithm("weighted:weights=1"), Error);
  CHECK(unsupported(find_algorithm("weighted:rates=1x2x3"), {.ranks = 2, .elements = 1})
            .find("3 rates for 2 ranks") != std::string::npos);
  CHECK(unsupported(find_algorithm("weighted"), {.ranks = 2, .elements = 1}).find("rates=1x2") !=
        std::string::npos);
}
