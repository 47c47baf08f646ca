#include "training/telemetry/histogram.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("a histogram counts each value in the bucket that holds it") {
  const std::vector<float> values{-2, 0, 0, 0.5f, 3, 3, 1e-20f};
  const Histogram h = make_histogram(values);
  CHECK(h.finite == 7);
  CHECK(h.not_finite == 0);
  CHECK(h.min == -2);
  CHECK(h.max == 3);
  CHECK(h.sum == Approx(4.5));
  CHECK(h.sum_squares == Approx(22.25));
  REQUIRE(h.limits.size() == h.counts.size());
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    int inside = 0;
    const double low = i == 0 ? -std::numeric_limits<double>::infinity() : h.limits[i - 1];
    for (const float v : values) inside += v >= low && v < h.limits[i];
    CHECK(h.counts[i] == inside);
    if (i > 0) CHECK(h.limits[i] > h.limits[i - 1]);
  }
}

TEST_CASE("nonempty buckets are next to their lower ends") {
  const std::vector<float> values{1000};
  const Histogram h = make_histogram(values);
  REQUIRE(h.counts == std::vector<double>{0, 1, 0});
  CHECK((h.limits[0] <= 1000 && 1000 < h.limits[1]));
  CHECK(h.limits[1] / h.limits[0] == Approx(1.1));
}

TEST_CASE(
    "values that are not finite are counted separately, and the largest values have a bucket") {
  const float inf = std::numeric_limits<float>::infinity(), top = std::numeric_limits<float>::max();
  const std::vector<float> values{std::nanf(""), inf, -inf, top, -top};
  const Histogram h = make_histogram(values);
  CHECK(h.not_finite == 3);
  CHECK(h.finite == 2);
  CHECK(std::accumulate(h.counts.begin(), h.counts.end(), 0.0) == 2);
  CHECK(std::isfinite(h.sum_squares));
  const Histogram none = make_histogram({});
  CHECK((none.finite == 0 && none.min == 0 && none.max == 0 && none.counts.empty()));
}
