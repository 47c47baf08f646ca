#include "bench/tune/decide.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr Count kNoEnd = TuningTable::kNoEnd;

bool any(const TunedChoice&) { return true; }

// Runs around a time, 1% apart.
TuneCandidate runs(const std::string& name, double us, int count = 20) {
  TuneCandidate candidate{{name, 1}, us};
  for (int i = 0; i < count; ++i)
    candidate.samples_us.push_back(us * (1 + 0.01 * ((7 * i) % count) / count));
  return candidate;
}

TuneCell cell(Rank ranks, Bytes bytes, std::vector<TuneCandidate> candidates) {
  return {ranks, bytes / 4, bytes, std::move(candidates)};
}

// The choice of each cell: "ring; native; ".
std::string choices(const std::vector<TuneCell>& cells, const std::string& usual = "native") {
  std::string text;
  for (const auto& decision : decide(cells, usual, any))
    text += (decision ? decision->best.choice.algorithm : "none") + "; ";
  return text;
}

}  // namespace

TEST_CASE("a clear win replaces the default, chance does not") {
  CHECK(choices({cell(4, 1024, {runs("native", 10), runs("ring", 8)}),
                 cell(4, 4096, {runs("native", 10), runs("ring", 9.9999)}),
                 cell(4, 8192, {runs("native", 10), runs("ring", 12)})}) ==
        "ring; native; native; ");
}

TEST_CASE("a tie keeps the choice of the next smaller size, or takes the one of few messages") {
  const auto simulated = [](const std::string& name, double us, double lack, Count messages) {
    TuneCandidate candidate{{name, 1}, us};
    candidate.refits = RefittedTime{.us = us, .by_refit = {us, us}, .lack = lack};
    candidate.messages = messages;
    return candidate;
  };
  const auto all = [&](double lack) {
    return std::vector<TuneCell>{
        cell(4, 1024, {simulated("ring", 10, lack, 24), simulated("tree", 10.1, lack, 6)}),
        cell(4, 4096, {simulated("ring", 10, lack, 24), simulated("tree", 20, lack, 6)}),
        cell(4, 8192, {simulated("ring", 10.1, lack, 24), simulated("tree", 10, lack, 6)}),
        cell(8, 1024, {simulated("ring", 10, lack, 24), simulated("tree", 10.1, lack, 6)})};
  };
  CHECK(choices(all(0), "") == "ring; ring; tree; ring; ");
  CHECK(choices(all(0.1), "") == "tree; ring; ring; tree; ");
  const auto decisions = decide(all(0.1), "", any);
  CHECK(decisions[0]->ties == std::vector<TunedChoice>{{"ring", 1}});
  CHECK(decisions[0]->fastest->choice.algorithm == "ring");
  CHECK(decisions[0]->nearest.is_tie());
  CHECK(decisions[1]->ties.empty());
  // A tie of which one takes long is called one, but the fastest is taken.
  const std::vector<TuneCell> wide{
      cell(4, 1024, {simulated("ring", 10, 0.5, 24), simulated("tree", 14, 0.5, 6)})};
  CHECK(choices(wide, "") == "ring; ");
  CHECK(decide(wide, "", any)[0]->ties == std::vector<TunedChoice>{{"tree", 1}});
}

TEST_CASE("the lowest of several clear wins is chosen") {
  CHECK(choices({cell(4, 1024, {runs("native", 10), runs("tree", 8), runs("ring", 7)})}) ==
        "ring; ");
}

TEST_CASE("few runs do not replace the default") {
  CHECK(choices({cell(4, 1024, {runs("native", 10, 3), runs("ring", 5, 3)})}) == "native; ");
}

TEST_CASE(
    "a gain that the intervals of both medians do not show to be at least the margin is none") {
  // Both intervals reach 1% up and down within the runs; all runs of ring are below all of native.
  CHECK(choices({cell(4, 1024, {runs("native", 10, 200), runs("ring", 9.85, 200)})}) == "native; ");
  CHECK(choices({cell(4, 1024, {runs("native", 10, 200), runs("ring", 9.6, 200)})}) == "ring; ");
  TuneCandidate wide = runs("ring", 9, 200);  // its median is 10% below, but may be 10 as well
  for (std::size_t i = 0; i < 95; ++i) wide.samples_us[i] = 10.05;
  CHECK(choices({cell(4, 1024, {runs("native", 10, 200), wide})}) == "native; ");
}

TEST_CASE("a refuted candidate does not replace the default, the next clear win does") {
  TuneCandidate refuted = runs("ring", 7);
  refuted.refuted = true;
  const std::vector<TuneCell> cells{cell(4, 1024, {runs("native", 10), runs("tree", 8), refuted})};
  CHECK(choices(cells) == "tree; ");
  CHECK(decide(cells, "native", any).front()->fastest->choice.algorithm == "ring");
}

TEST_CASE("many tests need clearer wins") {
  std::vector<TuneCell> cells;  // p of 5 runs against 5, all lower: 2/252
  for (int i = 0; i < 8; ++i)
    cells.push_back(cell(4, 1024 << i, {runs("native", 10, 5), runs("ring", 5, 5)}));
  CHECK(choices(cells) == "native; native; native; native; native; native; native; native; ");
  cells.resize(6);
  CHECK(choices(cells) == "ring; ring; ring; ring; ring; ring; ");
}

TEST_CASE("without a default the lowest median wins: simulated times are exact") {
  CHECK(choices({cell(4, 1024, {{{"tree", 1}, 3.0}, {{"ring", 1}, 2.0}}), cell(4, 4096, {})}, "") ==
        "ring; none; ");
  CHECK(choices({cell(4, 1024, {{{"native", 1}, 3.0}, {{"ring", 1}, 2.999}})}) == "ring; ");
}

TEST_CASE("a table has no gap, and divides sizes at the geometric mean") {
  const std::vector<TuneCell> cells{
      cell(2, 1024, {runs("ring", 1)}), cell(2, 4096, {runs("ring", 1)}),
      cell(2, 16384, {runs("tree", 1)}), cell(4, 1024, {runs("tree", 1)})};
  const auto decisions = decide(cells, "native", any);
  const TuningTable nearest = table_of(cells, decisions, Outside::nearest, "a test");
  CHECK(nearest == TuningTable{"a test",
                               {{1, 3, {{0, 8191, {"ring"}}, {8192, kNoEnd, {"tree"}}}},
                                {4, kNoEnd, {{0, kNoEnd, {"tree"}}}}}});
  CHECK(parse_tuning_table(to_text(nearest), "t") == nearest);
  const TuningTable native = table_of(cells, decisions, Outside::native, "a test");
  CHECK(native == TuningTable{"a test",
                              {{1, 1, {{0, kNoEnd, {"native"}}}},
                               {2, 3, {{0, 8191, {"ring"}}, {8192, kNoEnd, {"tree"}}}},
                               {4, 4, {{0, kNoEnd, {"tree"}}}},
                               {5, kNoEnd, {{0, kNoEnd, {"native"}}}}}});
  CHECK(parse_tuning_table(to_text(native), "t") == native);
}
