// Shares of ranks whose links are not alike.
#include <algorithm>
#include <numeric>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/parts/rank_shares.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;

namespace {

// How long each rank is busy with shares of these weights, in times of the whole vector at rate 1.
std::vector<double> busy(const std::vector<double>& rates, const std::vector<Count>& weights) {
  const auto total = static_cast<double>(std::accumulate(weights.begin(), weights.end(), Count{0}));
  std::vector<double> times;
  for (std::size_t r = 0; r < rates.size(); ++r)
    times.push_back(
        (1 + (static_cast<double>(rates.size()) - 2) * static_cast<double>(weights[r]) / total) /
        rates[r]);
  return times;
}

}  // namespace

TEST_CASE("ranks that own something finish together, and those that own nothing before") {
  std::uint32_t random = 1;
  for (Rank ranks = 3; ranks <= 64; ++ranks) {
    std::vector<double> rates;
    for (Rank r = 0; r < ranks; ++r) rates.push_back(1 + (random = random * 747796405u + 1) % 1000);
    const std::vector<Count> weights = shares_for(rates);
    const std::vector<double> times = busy(rates, weights);
    const double last = *std::max_element(times.begin(), times.end());
    const double slowest = 1 / *std::min_element(rates.begin(), rates.end());
    for (std::size_t r = 0; r < rates.size(); ++r) {
      INFO("rank " << r << " of " << ranks);
      if (weights[r] > 0 && last > slowest * 1.001) CHECK(times[r] == Approx(last).epsilon(1e-3));
      CHECK(times[r] <= std::max(last, slowest) * (1 + 1e-9));
    }
  }
}

TEST_CASE("a rank of half the rate owns nothing, and equal ranks the same") {
  std::vector<double> rates(16, 2.0);
  std::vector<Count> weights = shares_for(rates);
  CHECK(std::ranges::all_of(weights, [&](Count weight) { return weight == weights[0]; }));
  rates[3] = 1;
  weights = shares_for(rates);
  CHECK(weights[3] == 0);
  CHECK(weights[0] > 0);
  CHECK(busy(rates, weights)[0] == Approx((1 + 14. / 15) / 2).epsilon(1e-4));
  CHECK(shares_for(std::vector<double>{1, 3}).size() == 2);
  CHECK(shares_for(std::vector<double>{5}) == std::vector<Count>{1 << 20});
}

TEST_CASE("weighted is proved on few and many ranks") {
  for (Rank ranks = 1; ranks <= 64; ranks += ranks < 17 ? 1 : ranks < 60 ? 13 : 1)
    for (const char* spec : {"weighted:rates=1x2", "weighted:rates=9", "weighted:rates=7x3x1x5"}) {
      const Algorithm& algorithm = find_algorithm(spec);
      for (const Count elements : {Count{0}, Count{1}, Count{ranks} - 1, Count{300}}) {
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
