// The times of ranks are those of hand-made cases, and fill the run where a rank does one thing at
// a time.
#include "simulator/analysis/rank_times.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct TimedRanks {
  Time finish;
  std::vector<RankTimes> of_rank;
};

TimedRanks timed_ranks(std::string_view model, const Values& values, const Algorithm& algorithm,
                       const Problem& p) {
  Trace trace;
  const Time finish = run(model, values, algorithm, p, 1, {.trace = &trace}).finish;
  return {finish, rank_times(trace, p.ranks, finish)};
}

Program one_sum(Problem p, Rank me) {
  if (me == 0) co_yield send(1, p.all());
  if (me == 1) co_yield reduce(0, p.all());
}

}  // namespace

TEST_CASE("rank times of one message, by hand") {
  const Problem p{.ranks = 2, .elements = 11};
  // Rank 0 is busy for o + 10 O; its message arrives at o + L, takes o + 10 G, and is added.
  const TimedRanks overlapped =
      timed_ranks("loggops", {{"L", 1000}, {"o", 100}, {"g", 5}, {"G", 3}, {"O", 1}, {"gamma", 2}},
                  tried(one_sum), p);
  CHECK(overlapped.finish == 1252_ps);
  CHECK(overlapped.of_rank ==
        std::vector<RankTimes>{{110_ps, 0_ps, 0_ps, 1142_ps}, {0_ps, 130_ps, 22_ps, 1100_ps}});
  // Both ranks are held for alpha + 11 beta.
  const TimedRanks held =
      timed_ranks("alpha_beta", {{"alpha", 1000}, {"beta", 2}, {"gamma", 1}}, tried(one_sum), p);
  CHECK(held.finish == 1033_ps);
  CHECK(held.of_rank ==
        std::vector<RankTimes>{{1022_ps, 0_ps, 0_ps, 11_ps}, {0_ps, 1022_ps, 11_ps, 0_ps}});
}

TEST_CASE("rank times of a hand-made trace") {
  using enum Span::Kind;
  const auto span = [](Span::Kind kind, Rank rank, Time begin, Time end, std::int64_t message) {
    return Span{.kind = kind, .rank = rank, .begin = begin, .end = end, .message = message};
  };
  // A receive without a time of its own lasts as long as its send, if both end at once. If the
  // message was on its way in between, its receiver waited.
  const Trace trace{{span(send, 0, 10_ps, 30_ps, 1), span(receive, 1, 30_ps, 30_ps, 0),
                     span(send, 0, 40_ps, 60_ps, 3), span(receive, 1, 75_ps, 75_ps, 2)}};
  CHECK(rank_times(trace, 2, 100_ps) ==
        std::vector<RankTimes>{{40_ps, 0_ps, 0_ps, 60_ps}, {0_ps, 20_ps, 0_ps, 80_ps}});
  // Two sends at once count once, and a sum within a send in both.
  const Trace both{{span(send, 0, 10_ps, 20_ps, -1), span(send, 0, 0_ps, 30_ps, -1),
                    span(reduce, 0, 25_ps, 50_ps, -1)}};
  CHECK(rank_times(both, 1, 60_ps) == std::vector<RankTimes>{{30_ps, 0_ps, 25_ps, 10_ps}});
}

TEST_CASE("a rank of an exchange sends and receives at once") {
  const TimedRanks both =
      timed_ranks("fluid", {}, find_algorithm("butterfly"), {.ranks = 2, .elements = 1000});
  for (const RankTimes& times : both.of_rank) {
    CHECK(times.send == both.finish);
    CHECK(times.receive == both.finish);
    CHECK(times.wait == 0_ps);
  }
}

TEST_CASE("where processors do one thing at a time, the times of a rank fill the run") {
  const Values costs{{"L", 1009}, {"o", 97}, {"g", 311}, {"G", 2.7}, {"O", 2.7}, {"gamma", 1.3}};
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const Rank ranks : {1, 2, 7, 9, 16}) {
      const Problem p = grouped(*algorithm, {.ranks = ranks, .elements = Count{ranks} * 24});
      if (!unsupported(*algorithm, p).empty()) continue;
      INFO(algorithm->name << " on " << ranks);
      const TimedRanks timed = timed_ranks("loggops", costs, *algorithm, p);
      REQUIRE(timed.of_rank.size() == index(ranks));
      for (const RankTimes& times : timed.of_rank) {
        CHECK(times.send + times.receive + times.reduce + times.wait == timed.finish);
        CHECK(times.wait >= 0_ps);
      }
    }
}
