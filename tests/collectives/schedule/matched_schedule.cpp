// The plan of all ranks: every message once, in steps that no rank waits in vain for.
#include "collectives/schedule/matched_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/schedule/rank_plan.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

MatchedSchedule plan(Rank ranks, Program (*program)(Problem, Rank)) {
  return match_schedule_of(tried(program), {.ranks = ranks, .elements = ranks});
}

/// Whether all ranks reach the end if each posts one step's calls after another, and leaves a step
/// when the other ends of its calls have been posted.
bool all_end(const std::vector<RankPlan>& plans) {
  using Ends = std::map<std::tuple<Rank, Rank>, std::size_t>;  // how many, by source and target
  Ends sent, received;
  std::vector<std::size_t> at(plans.size());  // the step that is posted
  std::vector<std::vector<std::pair<const PlannedMessage*, std::size_t>>> open(plans.size());
  const auto post = [&](std::size_t r) {
    if (at[r] == plans[r].steps.size()) return;
    const Rank me = static_cast<Rank>(r);
    for (const PlannedMessage& call : plans[r].steps[at[r]].calls)
      open[r].emplace_back(&call,
                           call.sends ? ++sent[{me, call.peer}] : ++received[{call.peer, me}]);
  };
  for (std::size_t r = 0; r < plans.size(); ++r) post(r);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < plans.size(); ++r) {
      if (at[r] == plans[r].steps.size()) continue;
      const Rank me = static_cast<Rank>(r);
      const bool done = std::all_of(open[r].begin(), open[r].end(), [&](const auto& end) {
        const auto& [call, number] = end;
        return (call->sends ? received[{me, call->peer}] : sent[{call->peer, me}]) >= number;
      });
      if (!done) continue;
      open[r].clear();
      ++at[r];
      post(r);
      moved = true;
    }
  }
  for (std::size_t r = 0; r < plans.size(); ++r)
    if (at[r] != plans[r].steps.size()) return false;
  return true;
}

/// All calls and uses, in a form that shows whether two plans have the same ones.
std::multiset<std::string> contents(const RankPlan& plan) {
  std::multiset<std::string> all;
  for (const PlannedStep& step : plan.steps) {
    for (const PlannedMessage& m : step.calls)
      all.insert(concat(m.sends, " ", m.peer, " ", m.in_scratch, " ", m.offset, " ", m.bytes));
    for (const PlannedUse& u : step.uses)
      all.insert(concat(static_cast<int>(u.kind), " ", u.scratch, " ", u.offset, " ", u.elements));
  }
  return all;
}

}  // namespace

TEST_CASE(
    "two waves: the same messages, even lanes apart from odd ones, and no rank waits in vain") {
  for (const Rank ranks : {2, 3, 5, 8})
    conformance::for_all_problems(
        ranks, std::vector<Count>{7, 1000}, ranks - 1,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          INFO(conformance::text_of(algorithm, problem, {}, segments));
          const MatchedSchedule p = match_schedule_of(algorithm, problem, segments);
          std::vector<RankPlan> plans;
          for (Rank rank = 0; rank < ranks; ++rank) {
            const RankPlan& part = plans.emplace_back(plan_of_rank(p, rank, {}, 2));
            CHECK(contents(part) == contents(plan_of_rank(p, rank, {})));
            CHECK(part.waves == (part.lanes < 2 ? 1 : 2));
            for (const PlannedStep& step : part.steps)
              for (const PlannedRound& round : step.rounds)
                CHECK(round.lane % part.waves == step.wave);
          }
          CHECK(all_end(plans));
        });
}

TEST_CASE("bytes applied per step are those that a ring adds in half of its steps") {
  const Rank ranks = 4;
  const MatchedSchedule p =
      match_schedule_of(find_algorithm("ring"), {.ranks = ranks, .elements = 400});
  CHECK(bytes_applied_per_step(p, ranks, 4) == Approx(100 * 4 / 2.));
  CHECK(bytes_applied_per_step(match_schedule_of(find_algorithm("ring"), {.ranks = 1}), 1, 4) == 0);
}

TEST_CASE("a plan has what the algorithm claims, rank by rank") {
  for (const Rank ranks : {1, 2, 5, 8, 13})
    conformance::for_all_problems(
        ranks, std::vector<Count>{0, 1, 7, 1000}, ranks - 1,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          INFO(conformance::text_of(algorithm, problem, {}, segments));
          const MatchedSchedule p = match_schedule_of(algorithm, problem, segments);
          std::size_t ranges = 0;  // a message of several is planned as one each
          for (Rank rank = 0; rank < ranks; ++rank) {
            const Cost& sent = p.sent[static_cast<std::size_t>(rank)];
            CHECK(sent == predicted_rank_cost(algorithm, problem, rank, segments));
            for (const Lane& lane : lanes_of(algorithm, problem, segments))
              for (LaneRounds rounds(algorithm, lane, rank); rounds.next();)
                for (const ElementAction& a : rounds.round())
                  if (a.kind == ActionKind::send) ranges += a.ranges.size();
          }
          CHECK(p.messages.size() == ranges);
        });
}

TEST_CASE(
    "a plan with granules sends the same messages, all at boundaries, and in all the same "
    "elements") {
  for (const Rank ranks : {2, 5, 7, 8, 13})
    for (const Count elements : {100, 10'007, 100'003})
      for (const Algorithm& algorithm : algorithms())
        for (const int segments : {1, 3}) {
          const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = elements});
          if (!unsupported(algorithm, problem).empty()) continue;
          INFO(conformance::text_of(algorithm, problem, {}, segments));
          const MatchedSchedule plain = match_schedule_of(algorithm, problem, segments);
          const MatchedSchedule p = match_schedule_of(algorithm, problem, segments, 16);
          CHECK(p.messages.size() == plain.messages.size());
          Count sent = 0, sent_plain = 0, off = 0;
          for (std::size_t rank = 0; rank < p.sent.size(); ++rank) {
            CHECK(p.sent[rank].messages == plain.sent[rank].messages);
            CHECK(p.sent[rank].rounds == plain.sent[rank].rounds);
            sent += p.sent[rank].elements;
            sent_plain += plain.sent[rank].elements;
          }
          CHECK(sent == sent_plain);
          for (const MatchedMessage& m : p.messages)
            off += m.source_first % 16 == 0 && m.target_first % 16 == 0 ? 0 : 1;
          if (elements > 100'000 || (elements > 10'000 && segments == 1)) CHECK(off == 0);
          if (elements == 100) CHECK(p.sent == plain.sent);  // chunks would become empty
        }
}

TEST_CASE(
    "messages are sent while both their rounds are in progress, and rounds follow one another") {
  for (const char* name : {"tree", "butterfly", "ring", "master_worker"}) {
    const MatchedSchedule p =
        match_schedule_of(find_algorithm(name), {.ranks = 7, .elements = 100}, 4);
    INFO(name);
    bool good = true;
    for (std::uint32_t step = 0; step < p.step_count(); ++step) {
      good = good && p.steps[step] < p.steps[step + 1];  // no step in vain
      for (std::uint32_t m = p.steps[step]; m < p.steps[step + 1]; ++m)
        for (const std::uint32_t round : {p.messages[m].source_round, p.messages[m].target_round})
          good = good && p.rounds[round].begins <= step && step <= p.rounds[round].ends;
    }
    std::map<std::pair<Rank, int>, std::uint32_t> next;  // the first step that a lane may begin in
    std::map<std::pair<Rank, int>, std::uint32_t> numbers;
    for (const MatchedRound& round : p.rounds) {
      good = good && round.number == ++numbers[{round.rank, round.lane}];
      std::uint32_t& first = next[{round.rank, round.lane}];
      good = good && round.begins == first;
      first = round.ends + 1;
    }
    CHECK(good);
  }
}

TEST_CASE("rounds have the numbers of the program, also where others move nothing") {
  const MatchedSchedule p = match_schedule_of(find_algorithm("ring"), {.ranks = 3, .elements = 1});
  std::map<Rank, std::vector<std::uint32_t>> numbers;
  for (const MatchedRound& round : p.rounds) numbers[round.rank].push_back(round.number);
  CHECK(numbers ==
        std::map<Rank, std::vector<std::uint32_t>>{{0, {2, 3}}, {1, {1, 3, 4}}, {2, {1, 2, 4}}});
  const RankPlan part = plan_of_rank(p, 1, {});
  CHECK(part.lanes == 1);
  numbers.clear();
  for (const PlannedStep& step : part.steps)
    for (const PlannedRound& round : step.rounds) numbers[1].push_back(round.number);
  CHECK(numbers[1] == std::vector<std::uint32_t>{1, 3, 4});
}

TEST_CASE("a plan is as long as the longest chain of rounds") {
  CHECK(match_schedule_of(find_algorithm("ring"), {.ranks = 6, .elements = 60}).step_count() == 10);
  CHECK(match_schedule_of(find_algorithm("ring"), {.ranks = 6, .elements = 60}, 4).step_count() ==
        10);
  CHECK(match_schedule_of(find_algorithm("tree"), {.ranks = 8, .elements = 60}, 2).step_count() ==
        6);
  CHECK(
      match_schedule_of(find_algorithm("all_to_all"), {.ranks = 8, .elements = 60}).step_count() ==
      1);
  CHECK(match_schedule_of(find_algorithm("ring"), {.ranks = 1, .elements = 60}).step_count() == 0);
}

TEST_CASE("a plan of a wrong schedule says what is wrong") {
  CHECK_THROWS_WITH(plan(2, [](Problem p, Rank me) -> Program { co_yield send(1 - me, p.all()); }),
                    contains("forever"));
  CHECK_THROWS_WITH(plan(2,
                         [](Problem p, Rank me) -> Program {
                           if (me == 0)
                             co_yield send(1, p.all());
                           else
                             co_yield replace(0, p.chunk(0));
                         }),
                    contains("sends 2 elements") && contains("expects 1"));
  CHECK_THROWS_WITH(plan(2, [](Problem p, Rank me) -> Program { co_yield send(me, p.all()); }),
                    contains("peer 0"));
}
