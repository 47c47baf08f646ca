#include "bench/validation/nccl/validation_answers.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

PredictedRow predicted(double measured, double predicted, Split split = Split::test) {
  PredictedRow row;
  row.row.median_us = measured;
  row.row.split = split;
  row.predicted_us = predicted;
  row.interval = {predicted / 1.25, predicted * 1.25};
  return row;
}

}  // namespace

TEST_CASE("answers of validation: the errors of what was only predicted, and its intervals") {
  Validation times;
  times.rows = {predicted(100, 110), predicted(100, 90), predicted(100, 110), predicted(100, 300),
                predicted(100, 900, Split::calibrate)};
  times.rows.emplace_back();  // without a prediction
  const std::vector<std::string> said = sentences(times, {}, {});
  REQUIRE(said.size() == 2);
  CHECK(said[0].starts_with("4 published times, only predicted: half of them within 10.0%"));
  CHECK(said[0].ends_with("worst 200%."));
  CHECK(said[1] == "75% of these times are within the interval predicted for 80%.");
  CHECK(sentences({}, {}, {}).empty());
  times.rows.clear();
  CHECK(sentences(times, {}, {}).empty());
}
