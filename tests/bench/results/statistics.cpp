#include "bench/results/statistics.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// 1, 2, ..., n in some order: a sample's value is its rank.
Summary of_ranks(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1.0);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  return summarize(samples);
}

}  // namespace

TEST_CASE("the median of odd and even numbers of samples") {
  CHECK(summarize({7}).median == 7);
  CHECK(summarize({3, 1}).median == 2);
  CHECK(summarize({3, 1, 100}).median == 3);
  CHECK(summarize({4, 1, 3, 2}).median == 2.5);
  CHECK(of_ranks(1000).median == 500.5);
  CHECK(of_ranks(1000).samples == 1000);
  CHECK(of_ranks(1000).min == 1);
}

TEST_CASE("the ranks of the interval match published tables") {
  // Le Boudec, Performance Evaluation of Computer and Communication Systems, 2010, table A.1:
  // the j-th and k-th smallest of n samples at 95%.
  struct Row {
    int n, j, k;
  };
  for (const auto& [n, j, k] : {Row{6, 1, 6}, Row{10, 2, 9}, Row{20, 6, 15}, Row{50, 18, 33},
                                Row{100, 40, 61}, Row{1000, 469, 532}}) {
    INFO(n);
    CHECK(of_ranks(n).low == j);
    CHECK(of_ranks(n).high == k);
  }
}

TEST_CASE("the interval covers the median with 95%, and a narrower one would not") {
  for (int n = 6; n <= 400; ++n) {
    const auto low = static_cast<int>(of_ranks(n).low);
    REQUIRE(of_ranks(n).high == n + 1 - low);
    double below = 0, next = 0;  // P(fewer than low samples are below the median), and one more
    for (int k = 0; k <= low; ++k) {
      const double p = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                                n * std::log(2.0));
      if (k < low) below += p;
      next += p;
    }
    REQUIRE(2 * below <= 0.05);
    REQUIRE(2 * next > 0.05);
  }
}

TEST_CASE("with fewer than six samples the interval is the whole range") {
  for (int n = 1; n <= 5; ++n) {
    INFO(n);
    CHECK(of_ranks(n).low == 1);
    CHECK(of_ranks(n).high == n);
    CHECK(of_ranks(n).p99 == n);
  }
}

TEST_CASE("p99 is the smallest sample that 99% do not exceed") {
  CHECK(of_ranks(50).p99 == 50);
  CHECK(of_ranks(99).p99 == 99);
  CHECK(of_ranks(100).p99 == 99);
  CHECK(of_ranks(101).p99 == 100);
  CHECK(of_ranks(200).p99 == 198);
  CHECK(of_ranks(1000).p99 == 990);
}

TEST_CASE("mean, deviation, p90 and maximum") {
  const Summary s = of_ranks(10);
  CHECK(s.mean == 5.5);
  CHECK(s.deviation == Approx(3.0276504));  // of 1 to 10, divided by 9
  CHECK(s.p90 == 9);
  CHECK(s.max == 10);
  CHECK(summarize({4}).deviation == 0);
  CHECK(of_ranks(11).p90 == 10);
}

TEST_CASE("the coverage of the interval is that of the binomial distribution") {
  CHECK(coverage(1) == 0);
  CHECK(coverage(5) == Approx(0.9375));
  CHECK(coverage(6) == Approx(0.96875));
  CHECK(coverage(10) == Approx(1 - 2 * 11.0 / 1024));
  for (int n = 6; n <= 300; ++n) CHECK(coverage(n) >= 0.95);
}

TEST_CASE("does not underflow with many samples") {
  const Summary s = of_ranks(5000);
  CHECK(s.low == 2431);  // 5000 / 2 - 1.96 sqrt(5000) / 2, rounded
  CHECK(s.high == 2570);
}

TEST_CASE("equal samples give an interval of width 0") {
  const Summary s = summarize(std::vector<double>(30, 4.5));
  CHECK((s.low == 4.5 && s.high == 4.5 && s.median == 4.5 && s.min == 4.5 && s.p99 == 4.5));
}

TEST_CASE("summarizes one exact value, and rejects an empty list") {
  const Summary s = exactly(2.5);
  CHECK(s.samples == 1);
  CHECK((s.median == 2.5 && s.low == 2.5 && s.high == 2.5 && s.min == 2.5 && s.p99 == 2.5));
  CHECK(failure([] { summarize({}); }).find("a summary needs samples") != std::string::npos);
}

TEST_CASE(
    "the interval of a mean holds it in about 95 of 100 series, and narrows with their length") {
  CHECK_FALSE(mean_interval({}));
  CHECK_FALSE(mean_interval({3}));
  CHECK(mean_interval({5, 5, 5})->low == 5);
  CHECK(mean_interval({5, 5, 5})->high == 5);
  // Two values 4 and 6: 5 +- 12.706 * sqrt(2) / sqrt(2), cut at the smaller one.
  CHECK(mean_interval({4, 6})->high == Approx(5 + 12.706));
  CHECK(mean_interval({4, 6})->low == 4);
  std::mt19937 random(3);
  std::exponential_distribution<double> times(1.0);  // skewed as times are, with a mean of 1
  const auto of = [&](int length) {
    int holds = 0;
    double width = 0;
    for (int series = 0; series < 400; ++series) {
      std::vector<double> all;
      for (int i = 0; i < length; ++i) all.push_back(times(random));
      const auto its = mean_interval(all);
      holds += its->low <= 1 && 1 <= its->high;
      width += (its->high - its->low) / 400;
    }
    return std::pair(holds, width);
  };
  const auto [holds, width] = of(400);
  CHECK(holds > 360);
  CHECK(holds < 396);
  CHECK(width < 0.6 * of(100).second);
}
