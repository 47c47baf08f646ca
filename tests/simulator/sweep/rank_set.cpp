#include "simulator/sweep/rank_set.hpp"

#include <set>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("RankSet visits its members in order, on any number of ranks") {
  for (const Rank ranks : {1, 63, 64, 65, 4096, 4097, 300'000}) {
    RankSet set(ranks);
    std::set<Rank> expected;
    const Random random(7);
    std::uint64_t drawn = 0;
    for (int i = 0; i < 500; ++i) {
      const auto rank = static_cast<Rank>(random.below(ranks, drawn++));
      if (i % 3 == 2) {
        set.erase(rank);
        expected.erase(rank);
      } else {
        set.insert(rank);
        expected.insert(rank);
      }
      const auto from = static_cast<Rank>(random.below(ranks, drawn++));
      const auto next = expected.lower_bound(from);
      REQUIRE(set.next(from) == (next == expected.end() ? RankSet::kNone : *next));
      REQUIRE(set.next(ranks) == RankSet::kNone);
    }
    for (const Rank rank : expected) set.erase(rank);
    REQUIRE(set.next(0) == RankSet::kNone);
  }
}
