#include "bench/tune/settle.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

TuneCandidate samples_of(const std::string& name, std::vector<double> samples, double median_us) {
  return {{name, 1}, median_us, std::move(samples)};
}

TuneCandidate steady(const std::string& name, double us) {
  return samples_of(name, std::vector<double>(20, us), us);
}

std::vector<std::optional<TuneDecision>> decide_all(const std::vector<TuneCell>& cells) {
  return decide(cells, "native", [](const TunedChoice&) { return true; });
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

TEST_CASE("confirm: what replaces a measured default is measured again") {
  std::vector<TuneCell> cells{{2, 2, 8, {steady("native", 10), steady("ring", 8)}},
                              {2, 4, 16, {steady("native", 10), steady("ring", 12)}},
                              {2, 8, 32, {{{"native", 1}, 10}, {{"ring", 1}, 8}}}};
  CHECK(replacements(decide_all(cells)) == std::vector<Contest>{{0, {"ring", 1}, {"native", 1}}});
  CHECK(replacements(decide(cells, "", [](const TunedChoice&) { return true; })).empty());
}

TEST_CASE("confirm: a choice that does not win by the new samples alone is refuted") {
  std::vector<TuneCell> cells{
      {2, 2, 8, {steady("native", 10), steady("ring", 8), steady("tree", 9)}},
      {2, 4, 16, {steady("native", 10), steady("ring", 5)}},
      {4, 2, 8, {steady("native", 10), steady("ring", 5)}}};
  const std::vector<Contest> asked = replacements(decide_all(cells));
  REQUIRE(asked.size() == 3);
  refute(cells, asked,
         {{2, 2, 8, {steady("native", 10), steady("ring", 9.9)}},
          {2, 4, 16, {steady("native", 10), steady("ring", 9)}}},
         decide_all);
  CHECK(cells[0].candidates[1].refuted);
  CHECK(!cells[0].candidates[2].refuted);
  CHECK(!cells[1].candidates[1].refuted);
  CHECK(cells[2].candidates[1].refuted);  // has no new samples
  CHECK(replacements(decide_all(cells)) ==
        std::vector<Contest>{{0, {"tree", 1}, {"native", 1}}, {1, {"ring", 1}, {"native", 1}}});
}
