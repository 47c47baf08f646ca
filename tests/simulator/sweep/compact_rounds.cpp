#include "simulator/sweep/compact_rounds.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using OneMessage = std::tuple<ActionKind, Rank, Bytes>;
using Rounds = std::vector<std::vector<OneMessage>>;  // an empty one for a round without messages

constexpr Bytes kElement = 4;

Rounds direct(const Algorithm& algorithm, const Problem& p, Rank me) {
  Rounds rounds;
  for (Program program = algorithm.program(p, me); program.next();) {
    auto& round = rounds.emplace_back();
    for (const Action& a : program.round())
      if (const Bytes bytes = p.blocks().size(a.chunks) * kElement; bytes > 0)
        round.emplace_back(a.kind, a.peer, bytes);
  }
  return rounds;
}

Rounds compact(CompactRounds& compact, Rank me) {
  Rounds rounds;
  for (auto steps = compact.next(me); !steps.empty(); steps = compact.next(me)) {
    if (steps[0].kind == Step::idle) {
      REQUIRE(steps.size() == 1);
      rounds.resize(rounds.size() + index(steps[0].peer));
      continue;
    }
    auto& round = rounds.emplace_back();
    for (const Step& step : steps) {
      const Bytes bytes = compact.size(step);
      if (step.sends()) round.emplace_back(ActionKind::send, step.peer, bytes);
      if (step.receives())
        round.emplace_back(step.reduces() ? ActionKind::reduce : ActionKind::replace, step.peer,
                           bytes);
    }
  }
  return rounds;
}

Program endless_idling(Problem p, Rank) {
  for (;;) co_yield send(0, {0, p.ranks > 100 ? 1 : 0});
}

}  // namespace

TEST_CASE("compact rounds are those of the programs") {
  for (const Rank ranks : {1, 2, 5, 8, 12, 31})
    for (const Count elements : {Count{3}, Count{100}})
      for (const Algorithm& algorithm : algorithms()) {
        const Problem whole = grouped(algorithm, {.ranks = ranks, .elements = elements});
        if (!unsupported(algorithm, whole).empty()) continue;
        for (const Lane& lane : lanes_of(algorithm, whole)) {
          CompactRounds rounds(algorithm, lane.problem, kElement);
          for (Rank me = ranks; me-- > 0;) {
            INFO(algorithm.name << ", ranks " << ranks << ", elements " << elements << ", rank "
                                << me);
            const Rounds expected = direct(algorithm, lane.problem, me);
            std::size_t longest = 0;
            for (const auto& round : expected) longest = std::max(longest, round.size());
            const Rounds found = compact(rounds, me);
            if (longest <= CompactRounds::kWindow) REQUIRE(found == expected);
            if (rounds.refused()) break;
          }
        }
      }
}

TEST_CASE("compact rounds refuse long rounds, and stop at programs without end") {
  const Algorithm& star = find_algorithm("master_worker");
  CompactRounds long_rounds(star, {.ranks = 1000, .elements = 10}, kElement);
  CHECK(long_rounds.next(0).empty());
  CHECK(long_rounds.refused());
  const Algorithm endless = tried(endless_idling);
  CompactRounds idle(endless, {.ranks = 2, .elements = 10}, kElement);
  const auto steps = idle.next(0);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].kind == Step::idle);
  CHECK(steps[0].peer == 1 << 16);
}
