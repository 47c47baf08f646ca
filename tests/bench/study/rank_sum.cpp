#include "bench/study/rank_sum.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace arlab::bench;

namespace {

using Sample = std::vector<double>;

double p(const Sample& a, const Sample& b) { return rank_sum_p(a, b); }

}  // namespace

TEST_CASE("rank-sum p-values of small samples are those of the published tables") {
  // Of the 20 ways to choose 3 of 6, one has U = 0, one 1, two 2, three 3 and three 4.
  CHECK(p({1, 2, 3}, {4, 5, 6}) == Approx(0.1));
  CHECK(p({1, 2, 4}, {3, 5, 6}) == Approx(0.2));
  CHECK(p({1, 3, 5}, {2, 4, 6}) == Approx(0.7));
  CHECK(p({4, 5, 6}, {1, 2, 3}) == Approx(0.1));
  // Critical values of U at 5%, two-sided: 2 for 5 and 5, 23 for 10 and 10 (Mann and Whitney 1947).
  CHECK(p({1, 2, 3, 4, 7}, {5, 6, 8, 9, 10}) == Approx(0.0317460).epsilon(1e-5));
  CHECK(p({1, 2, 3, 5, 7}, {4, 6, 8, 9, 10}) == Approx(0.0555556).epsilon(1e-5));
}

TEST_CASE("rank-sum p-values of large samples come from the normal distribution, with ties") {
  // The formula, evaluated apart from this program.
  Sample a, b;
  for (int i = 0; i < 30; ++i) a.push_back(i), b.push_back(i + 8.5);
  CHECK(p(a, b) == Approx(0.0012361846));
  CHECK(p({1, 1, 2, 2, 3}, {1, 2, 2, 3, 3}) == Approx(0.5067287));
  CHECK(p(Sample(10, 4), Sample(12, 4)) == 1);
}

TEST_CASE("samples of one distribution seldom differ significantly, those of two nearly always") {
  std::mt19937 random(7);
  std::exponential_distribution<double> noise;
  int found = 0, missed = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Sample a, b, c;
    for (int i = 0; i < 25; ++i) {
      a.push_back(10 + noise(random));
      b.push_back(10 + noise(random));
      c.push_back(11 + noise(random));
    }
    found += p(a, b) < 0.05 ? 1 : 0;
    missed += p(a, c) < 0.05 ? 0 : 1;
  }
  CHECK(found < kTrials * 0.08);
  CHECK(missed < kTrials * 0.1);
}

TEST_CASE("the least p-value is that of separate samples") {
  CHECK(least_rank_sum_p(3, 3) == Approx(0.1));
  CHECK(least_rank_sum_p(5, 5) == Approx(p({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10})));
  CHECK(least_rank_sum_p(1, 1) == 1);
  Sample low, high;
  for (int i = 0; i < 25; ++i) low.push_back(i), high.push_back(i + 100);
  CHECK(least_rank_sum_p(25, 25) == Approx(p(low, high)));
}

TEST_CASE(
    "Holm's correction multiplies the smallest by all, the next by one less, and keeps the order") {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  const std::vector<double> corrected =
      holm_corrected(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  REQUIRE(corrected.size() == 4);
  CHECK(corrected[0] == Approx(0.03));
  CHECK(corrected[1] == Approx(0.06));
  CHECK(corrected[2] == Approx(0.06));
  CHECK(corrected[3] == Approx(0.02));
  CHECK(holm_corrected({}).empty());
  CHECK(holm_corrected(std::vector<double>{0.7, 0.9})[0] == 1);
}
