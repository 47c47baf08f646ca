#include "bench/validation/fit/intervals.hpp"

#include <cmath>
#include <random>

#include "bench/validation/errors.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// A job's rows, each with a factor of its own, by a system that the model describes well.
std::vector<PublishedTime> noisy_rows(double spread) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, spread);
  std::vector<PublishedTime> rows;
  for (const char* name : {"ring_over", "recursive_doubling_x", "bine_bdw_remap_over",
                           "bine_lat_over", "rabenseifner_over"})
    for (int k = 6; k <= 26; k += 4) {
      PublishedTime row;
      row.system = "here";
      row.nodes = "8";
      row.ranks = 8;
      row.algorithm = name;
      row.bytes = Count{1} << k;
      const double rounds = std::string_view(name) == "ring_over" ? 14 : 5;
      row.median_us =
          (rounds * 3 + static_cast<double>(row.bytes) * 0.4e-3) * std::exp(noise(random));
      row.split = Split::calibrate;
      rows.push_back(row);
    }
  return rows;
}

}  // namespace

TEST_CASE("the residual spread is the least that covers 80% of the errors") {
  const std::vector<double> none(10, 0.0);
  std::vector<double> errors;
  for (int i = 1; i <= 10; ++i) errors.push_back(i % 2 == 0 ? 0.01 * i : -0.01 * i);
  CHECK(residual_spread(errors, none) == Approx(0.08 / 1.2816));
  CHECK(residual_spread(errors, std::vector<double>(10, 1.0)) == 0);  // the parameters cover them
  CHECK(residual_spread({}, {}) == 0);
  CHECK(residual_spread({0.1}, {0}) == Approx(0.1 / 1.2816));
}

TEST_CASE("an interval is as far above the prediction as below, as factors") {
  const auto intervals = prediction_intervals({10, 10}, {0, 0.3}, 0.1);
  CHECK(intervals[0].high_us == Approx(10 * std::exp(0.12816)));
  CHECK(intervals[0].low_us * intervals[0].high_us == Approx(100));
  CHECK(intervals[1].high_us > intervals[0].high_us);
}

TEST_CASE("rows that scatter more have wider intervals, which cover rows that were not fitted") {
  const auto spread = [](double noise) {
    const std::vector<PublishedTime> rows = noisy_rows(noise);
    return cross_validated_spread(1, rows, fit_transport(1, rows));
  };
  CHECK(spread(0.5) > spread(0.02));
}

TEST_CASE("a prediction is less sure the farther it is from what was calibrated") {
  std::vector<PublishedTime> rows = noisy_rows(0.05);
  for (const Rank ranks : {16, 1024}) {
    PublishedTime far = rows[0];
    far.ranks = ranks;
    far.nodes = std::to_string(ranks);
    far.split = Split::test;
    rows.push_back(far);
  }
  const Validation validation = validate(rows);
  const auto width = [&](std::size_t back) {
    const PredictedRow& row = validation.rows[validation.rows.size() - back];
    CHECK(row.beyond_calibration);
    CHECK(row.interval.low_us < *row.predicted_us);
    return row.interval.high_us / row.interval.low_us;
  };
  CHECK(!validation.rows[0].beyond_calibration);
  CHECK(width(1) > 1.1 * width(2));
  CHECK(validation.systems[0].most_nodes == "8");
}
