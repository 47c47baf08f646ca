#include "algorithms/teams.hpp"

#include <string>
#include <vector>

#include "algorithms/groups.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

const Chunks kZero{0, 1}, kOne{1, 1}, kBoth{0, 2}, kThree{0, 3};

Proof proof_of(const AllRounds& script) {
  const auto ranks = static_cast<Rank>(script.size());
  return verify(Problem{.ranks = ranks, .elements = ranks}, replay(script));
}

constexpr SwitchSums kAnySwitch{true, true, true};

}  // namespace

TEST_CASE("teams are all ranks, then each group, then each place of the groups") {
  const std::vector<std::int32_t> of_rank{0, 1, 0, 0, 1};
  const Groups groups(of_rank);
  const Problem p{.ranks = 5, .groups = &groups};
  CHECK(teams(p) == 1 + 2 + 3);
  CHECK(members(p, kEveryone) == std::vector<Rank>{0, 1, 2, 3, 4});
  CHECK(members(p, team_of_group(p, 1)) == std::vector<Rank>{1, 4});
  CHECK(members(p, team_of_place(p, 0)) == std::vector<Rank>{0, 1});
  CHECK(members(p, team_of_place(p, 1)) == std::vector<Rank>{2, 4});
  CHECK(members(p, team_of_place(p, 2)) == std::vector<Rank>{3});
  CHECK(teams({.ranks = 5}) == 1);
}

TEST_CASE("a switch adds in the order of the ranks, and each contribution counts once") {
  const Proof proof = proof_of({{{join(0, kThree)}}, {{join(0, kThree)}}, {{join(0, kThree)}}});
  CHECK(proof);
  CHECK(proof.bracketing == "((0+1)+2)");
  CHECK(proof.same_on_all_ranks);
}

TEST_CASE("a sum that a switch adds twice, or of a value that is not there, is found") {
  // Rank 0 already holds the value of rank 1 when the switch adds both.
  const Proof twice =
      proof_of({{{reduce(1, kBoth)}, {join(0, kBoth)}}, {{send(0, kBoth)}, {join(0, kBoth)}}});
  CHECK(twice.fault.kind == Fault::Kind::duplicate);
  CHECK(twice.fault.text ==
        "rank 1, round 2, chunk 0: the sum of its team would count the contribution of rank 1 "
        "twice");
  const Proof absent = proof_of({{{join(0, kBoth)}}, {{take(0, kBoth)}}});
  CHECK(absent.fault.kind == Fault::Kind::missing);
  const Problem scatter{.collective = Collective::all_gather, .ranks = 2, .elements = 2};
  const AllRounds undefined{{{give(0, kBoth)}}, {{join(0, kBoth)}}};
  CHECK(verify(scatter, replay(undefined)).fault.kind == Fault::Kind::undefined);
}

TEST_CASE("members that disagree, are none, or do not come are named") {
  const Proof chunks = proof_of({{{join(0, kZero)}}, {{join(0, kOne)}}});
  CHECK(chunks.fault.kind == Fault::Kind::mismatched);
  CHECK(chunks.fault.text ==
        "rank 1, round 1: join the sum of chunk 1 of team 0, but rank 0 in its round 1: join the "
        "sum of chunk 0 of team 0");
  CHECK(proof_of({{{give(0, kZero)}}, {{give(0, kZero)}}}).fault.text ==
        "rank 0, round 1: give chunk 0 to the sum of team 0, but no member takes the sum");
  CHECK(proof_of({{{take(0, kZero)}}, {{take(0, kZero)}}}).fault.text ==
        "rank 0, round 1: take the sum of chunk 0 of team 0, but no member gives a value");
  CHECK(proof_of({{{join(1, kZero)}}, {{join(1, kZero)}}}).fault.kind == Fault::Kind::bad_peer);
  const Proof alone = proof_of({{{join(0, kBoth)}}, {}});
  CHECK(alone.fault.kind == Fault::Kind::unmatched);
  CHECK(alone.fault.text ==
        "rank 0, round 1: join the sum of chunks 0 to 1 of team 0, but rank 1 ends its program "
        "without it");
  // Each waits for the other: one in the team, one for a message.
  const Proof stuck =
      proof_of({{{join(0, kZero)}, {send(1, kOne)}}, {{replace(0, kOne)}, {join(0, kZero)}}});
  CHECK(stuck.fault.kind == Fault::Kind::deadlock);
  CHECK(proof_of({{{join(0, kBoth), send(1, kZero)}}, {{join(0, kBoth), replace(0, kZero)}}})
            .fault.kind == Fault::Kind::hazard);
}

TEST_CASE("algorithms in the network need switches that add") {
  CHECK(unsupported(find_algorithm("nvls"), {.ranks = 4, .elements = 4}) ==
        "nvls needs switches that add for these ranks, which no backend has: simulate it with "
        "model fluid on a topology whose switches aggregate, such as dgx_h100");
  CHECK(unsupported(find_algorithm("sharp"), {.ranks = 4, .elements = 4, .switches = kAnySwitch})
            .empty());
}

TEST_CASE("with nvls a rank sends its vector and its share once, with sharp its vector") {
  for (const Rank ranks : {2, 3, 5, 8})
    for (const Count elements : {Count{1}, Count{7}, Count{1000}})
      for (const char* name : {"nvls", "nvls:pieces=3"}) {
        const Problem p{.ranks = ranks, .elements = elements, .switches = kAnySwitch};
        const Counts nvls = count(find_algorithm(name), p),
                     sharp = count(find_algorithm("sharp"), p);
        Count shares = 0;
        for (Rank r = 0; r < ranks; ++r) {
          shares += nvls.rank[index(r)].elements - elements;
          CHECK(sharp.rank[index(r)].elements == elements);
        }
        CHECK(shares == elements);  // all shares together are the vector
        CHECK(nvls.all.elements == elements * (ranks + 1));
      }
  const Problem even{.ranks = 8, .elements = 800, .switches = kAnySwitch};
  for (const Cost& rank : count(find_algorithm("nvls"), even).rank) CHECK(rank.elements == 900);
}
