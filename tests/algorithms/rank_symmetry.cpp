// The symmetries that algorithms declare, compared with the programs of all ranks.
#include "algorithms/rank_symmetry.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;

namespace {

using Seen = std::vector<std::vector<std::tuple<ActionKind, Rank, Count>>>;

// The rounds of a rank, with peers as the rank of its class would name them.
Seen seen(const Algorithm& algorithm, const Problem& p, const RankSymmetry& symmetry, Rank me) {
  Seen rounds;
  for (Program program = algorithm.program(p, me); program.next();) {
    auto& round = rounds.emplace_back();
    for (const Action& a : program.round())
      round.emplace_back(a.kind, symmetry.seen_from(me, a.peer), p.blocks().size(a.chunks));
  }
  return rounds;
}

int check_symmetry(const Algorithm& algorithm, const Problem& whole) {
  if (!algorithm.symmetry || !unsupported(algorithm, whole).empty()) return 0;
  const auto symmetry = algorithm.symmetry(whole);
  if (!symmetry) return 0;
  INFO(algorithm.name << " " << name(whole.collective) << ", ranks " << whole.ranks);
  for (const Lane& lane : lanes_of(algorithm, whole)) {
    for (Rank r = 0; r < whole.ranks; ++r) {
      REQUIRE(symmetry->class_of(r) < symmetry->classes());
      const Rank represents = symmetry->representative(symmetry->class_of(r));
      REQUIRE(symmetry->class_of(represents) == symmetry->class_of(r));
      REQUIRE(symmetry->seen_from(r, r) == represents);
      REQUIRE(seen(algorithm, lane.problem, *symmetry, r) ==
              seen(algorithm, lane.problem, *symmetry, represents));
    }
  }
  return 1;
}

int check_symmetries(Rank ranks, Rank most_groupings) {
  int checked = 0;
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const Collective collective : kCollectives) {
      const Problem p{.collective = collective, .ranks = ranks, .elements = Count{ranks} * 120};
      const std::vector<Problem> all = stated_for(*algorithm, p);
      for (std::size_t i = 0; i < all.size() && i < index(most_groupings); ++i)
        checked += check_symmetry(*algorithm, all[(i + all.size() / 2) % all.size()]);
    }
  return checked;
}

}  // namespace

TEST_CASE("ranks of a class have the same programs, on every P up to 64") {
  int checked = 0;
  for (const Rank ranks : ranks_up_to(64)) checked += check_symmetries(ranks, 100);
  CHECK(checked > 100);
}

// By another permutation than a shift: turned around, and every second rank swapped with the next.
TEST_CASE("ranks that are all alike have the same actions under any permutation") {
  int checked = 0;
  for (const Algorithm& algorithm : algorithms())
    for (const Rank ranks : {1, 2, 5, 12, 37}) {
      const Problem p{.ranks = ranks, .elements = 7 * Count{ranks}};
      if (!algorithm.all_alike) continue;
      CHECK(algorithm.family == "whole");
      const auto image = [&](Rank r) {
        const Rank other = (r ^ 1) < ranks ? r ^ 1 : r;
        return ranks - 1 - other;
      };
      const auto actions = [&](Rank me, bool mapped) {
        Seen rounds;
        for (Program program = algorithm.program(p, me); program.next();) {
          auto& round = rounds.emplace_back();
          for (const Action& a : program.round()) {
            CHECK(p.blocks().size(a.chunks) == p.elements);
            round.emplace_back(a.kind, mapped ? image(a.peer) : a.peer, p.elements);
          }
          std::sort(round.begin(), round.end());
        }
        return rounds;
      };
      for (Rank r = 0; r < ranks; ++r) REQUIRE(actions(r, true) == actions(image(r), false));
      ++checked;
    }
  CHECK(checked == 5);
}

TEST_CASE("digits are shifted one by one") {
  const RankSymmetry torus({3, 2});
  CHECK(torus.classes() == 1);
  CHECK(torus.seen_from(4, 4) == 0);
  CHECK(torus.seen_from(4, 5) == 1);  // (2,1) from (1,1)
  CHECK(torus.seen_from(5, 0) == 4);  // (0,0) from (2,1): (1,1)
  const RankSymmetry pairs({4}, 2);
  CHECK(pairs.class_of(3) == 1);
  CHECK(pairs.seen_from(3, 0) == 2);
  CHECK(pairs.seen_from(2, 1) == 3);
  const RankSymmetry twice({2, 2}, 1, 2);  // 0 to 3, and 4 to 7
  CHECK(twice.classes() == 2);
  CHECK(twice.class_of(6) == 1);
  CHECK(twice.representative(1) == 4);
  CHECK(twice.seen_from(6, 3) == 1);  // (1,1) from (0,1): (1,0)
  CHECK(twice.seen_from(6, 5) == 7);
}

TEST_CASE("some of the shifts, by multiples in each digit") {
  const RankSymmetry all({4, 6});
  CHECK(all.shifts() == 24);
  const std::vector<Rank> periods{2, 3};
  const RankSymmetry some = all.restricted(periods);
  CHECK(some.shifts() == 4);
  CHECK(some.classes() == 6);
  CHECK(some.class_of(23) == 5);       // (3,5) is (1,2)
  CHECK(some.representative(5) == 9);  // (1,2)
  CHECK(some.seen_from(23, 23) == 9);
  CHECK(some.seen_from(23, 0) == 14);                    // (0,0) by -(2,3): (2,3)
  CHECK(all.shifted(23, 1, 2) == 7);                     // (3,5) by (0,2): (3,1)
  CHECK(RankSymmetry({3}, 1, 2).shifted(5, 0, 1) == 3);  // in the second copy
  for (Rank r = 0; r < 24; ++r)
    CHECK(some.seen_from(r, r) == some.representative(some.class_of(r)));
}
