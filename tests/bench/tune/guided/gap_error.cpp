// gap_error and contenders: what a model with a known error can decide, by hand-made cells.
#include "bench/tune/guided/gap_error.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

TuneCell cell(Bytes bytes, double ring, double tree, double swing) {
  TuneCell c{.ranks = 4, .elements = bytes / 4, .bytes = bytes, .candidates = {}};
  c.candidates = {{{"ring", 1}, ring}, {{"tree", 1}, tree}, {{"swing", 1}, swing}};
  return c;
}

}  // namespace

TEST_CASE("guided tuning: the error of a model is that of its gaps, whatever its scale") {
  // All times twice as long as predicted: no gap is wrong.
  CHECK(gap_error({cell(1024, 10, 20, 40)}, {cell(1024, 20, 40, 80)}) == Approx(0).margin(1e-12));
  // swing is 4 times as long as ring, not 3 times.
  CHECK(gap_error({cell(1024, 10, 20, 30)}, {cell(1024, 10, 20, 40)}) == Approx(std::log(4.0 / 3)));
  // Nine gaps of ten may be that wrong: of the two in each of five cells, the largest is left out.
  std::vector<TuneCell> predicted, measured;
  for (Bytes i = 1; i <= 5; ++i) {
    predicted.push_back(cell(1024 * i, 10, 20, 40));
    measured.push_back(cell(1024 * i, 10, 20 * (1 + 0.1 * static_cast<double>(i)), 40));
  }
  CHECK(gap_error(predicted, measured) == Approx(std::log(1.4)));
  CHECK_THROWS(gap_error({cell(1024, 1, 2, 3)}, {cell(2048, 1, 2, 3)}));
}

TEST_CASE("guided tuning: a model decides only between cells in which the default was replaced") {
  const TuneCandidate usual{{"native", 1}, 20}, better{{"ring", 1}, 10};
  const TuneDecision replaced{.best = better, .usual = usual, .fastest = better};
  const TuneDecision stays{.best = usual, .usual = usual, .fastest = better};
  const std::vector<TuneCell> cells{cell(1024, 1, 2, 3), cell(4096, 1, 2, 3), cell(16384, 1, 2, 3)};
  const std::vector<std::optional<TuneDecision>> decisions{replaced, replaced, stays};
  CHECK(default_is_beaten(cells, decisions, cell(2048, 1, 2, 3)));
  CHECK_FALSE(default_is_beaten(cells, decisions, cell(8192, 1, 2, 3)));
  TuneCell other = cell(2048, 1, 2, 3);
  other.ranks = 8;  // of which nothing is measured
  CHECK_FALSE(default_is_beaten(cells, decisions, other));
}

TEST_CASE("guided tuning: contenders are those that the error may hide") {
  const TuneCell c = cell(1024, 12, 10, 30);
  const auto names = [&](double error) {
    std::string all;
    for (const TunedChoice& choice : contenders(c, error)) all += choice.algorithm + " ";
    return all;
  };
  CHECK(names(0) == "tree ");
  CHECK(names(std::log(1.2) + 1e-9) == "tree ring ");
  CHECK(names(std::log(3.0) + 1e-9) == "tree ring swing ");
}
