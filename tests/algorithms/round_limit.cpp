#include "algorithms/round_limit.hpp"

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;

namespace {

// Two ranks that exchange messages forever; the others have nothing to do.
Program exchanges(Problem p, Rank me) {
  for (;;) {
    if (me == 0) co_yield together(send(1, p.all()), reduce(1, p.all()));
    if (me == 1) co_yield together(send(0, p.all()), reduce(0, p.all()));
    if (me > 1) co_return;
  }
}

// Rounds without messages, forever.
Program idle(Problem, Rank) {
  for (;;) co_yield Round();
}

Cost claims_six_rounds(const Problem&) { return {.rounds = 6}; }
Cost claims_nonsense(const Problem&) { return {.rounds = -7}; }

Algorithm endless(Program (*program)(Problem, Rank), Cost (*cost_model)(const Problem&) = nullptr) {
  Algorithm a = tried(program);
  a.name = "endless";
  a.cost_model = cost_model;
  return a;
}

constexpr const char* kSentence =
    "rank 0 of 3 has not ended after 10060 rounds, the limit for the 6 rounds that the algorithm "
    "claims: look for a loop that does not end";

}  // namespace

TEST_CASE("the limit follows from the claim, or from the ranks") {
  const Problem p{.ranks = 3, .elements = 30};
  CHECK(RoundLimit(3).rounds() == 103'000);
  CHECK(RoundLimit(endless(exchanges), p).rounds() == 103'000);
  CHECK(RoundLimit(endless(exchanges, claims_six_rounds), p).rounds() == 10'060);
  CHECK(RoundLimit(endless(exchanges, claims_nonsense), p).rounds() == 103'000);
}

TEST_CASE("no algorithm of the catalog comes near its limit") {
  for (const Algorithm& a : algorithms())
    for (const Rank ranks : {1, 2, 4, 6, 12}) {
      const Problem p = grouped(a, {.ranks = ranks, .elements = 24});
      if (!unsupported(a, p).empty()) continue;
      INFO(a.name);
      CHECK(count(a, p).all.rounds * 10 <= RoundLimit(a, p).rounds());
    }
}

TEST_CASE("verify and count stop at a program without an end") {
  const Problem p{.ranks = 3, .elements = 30};
  const Proof proof = verify(endless(idle, claims_six_rounds), p);
  CHECK(proof.fault.kind == Fault::Kind::endless);
  CHECK(proof.fault.text == kSentence);
  CHECK(error_text(Blame::check, [&] { count(endless(idle, claims_six_rounds), p); }) ==
        "endless: " + std::string(kSentence));
  const MatchResult matched = match_schedule(endless(exchanges), p);
  CHECK(matched.fault.kind == Fault::Kind::endless);
  CHECK(matched.fault.round == 103'001);
  CHECK(match_schedule(p, [&](Rank me) { return idle(p, me); }).fault.text ==
        "rank 0 of 3 has not ended after 103000 rounds, the limit for 3 ranks: look for a loop "
        "that does not end");
}

TEST_CASE("one rank's program stops at its limit") {
  const Problem p{.ranks = 3, .elements = 30};
  LimitedProgram rank_1(endless(exchanges, claims_six_rounds), p, 1);
  for (int i = 0; i < 10'060; ++i) REQUIRE(rank_1.next());
  CHECK(rank_1.round().size() == 2);
  CHECK(error_text(Blame::check, [&] { rank_1.next(); }) ==
        "endless: rank 1 of 3 has not ended after 10060 rounds, the limit for the 6 rounds that "
        "the algorithm claims: look for a loop that does not end");
  LimitedProgram rank_2(endless(exchanges), p, 2);
  CHECK_FALSE(rank_2.next());
}
