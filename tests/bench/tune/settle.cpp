#include "bench/tune/settle.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

TuneCandidate samples_of(const std::string& name, std::vector<double> samples, double median_us) {
  return {{name, 1}, median_us, std::move(samples)};
}

std::optional<TuneDecision> decision(const TuneCandidate& best, const TuneCandidate& fastest) {
  return TuneDecision{.best = best, .usual = best, .fastest = fastest};
}

}  // namespace

TEST_CASE("settle: a contest is a choice that loses more than a twentieth") {
  const TuneCandidate native = samples_of("native", {105, 105}, 105);
  const TuneCandidate ring = samples_of("native:ring", {100, 100}, 100);
  const TuneCandidate tree = samples_of("native:tree", {99.9, 99.9}, 99.9);
  CHECK(contests({decision(native, ring), decision(native, native), std::nullopt}).empty());
  CHECK(contests({decision(native, ring), decision(native, tree)}) ==
        std::vector<Contest>{{1, native.choice, tree.choice}});
}

TEST_CASE("settle: simulated times are exact, so nothing is measured again") {
  const TuneCandidate native = samples_of("native", {}, 105), ring = samples_of("ring", {}, 50);
  CHECK(contests({decision(native, ring)}).empty());
}

TEST_CASE("settle: new samples join those of the same choice in the same cell") {
  std::vector<TuneCell> cells{
      {2, 256, 1024, {samples_of("native", {1, 2, 3}, 2), samples_of("ring", {5}, 5)}},
      {4, 256, 1024, {samples_of("native", {7}, 7)}}};
  const TuneCandidate segmented{{"ring", 4}, 1, {1}};
  add_samples(cells, {{2, 256, 1024, {samples_of("native", {6, 6, 6, 6}, 6), segmented}}});
  CHECK(cells[0].candidates[0].samples_us == std::vector<double>{1, 2, 3, 6, 6, 6, 6});
  CHECK(cells[0].candidates[0].median_us == 6);
  CHECK(cells[0].candidates[1].samples_us == std::vector<double>{5});
  CHECK(cells[1].candidates[0].median_us == 7);
}
