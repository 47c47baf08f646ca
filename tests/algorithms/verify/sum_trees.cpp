#include "algorithms/verify/sum_trees.hpp"

#include "tests/support/catch.hpp"

using arlab::Rank;
using arlab::SumTrees;

TEST_CASE("sums are equal when the same pairs were added, in either order") {
  SumTrees sums(4);
  Rank shared = -1;
  const SumTrees::Id a = sums.add(0, 1, shared), b = sums.add(1, 0, shared);
  CHECK(a == b);
  CHECK(sums.add(a, 2, shared) != sums.add(0, sums.add(1, 2, shared), shared));
  CHECK(shared == -1);
}

TEST_CASE("sets of more than 64 ranks have a place for each") {
  constexpr Rank kRanks = 130;  // three words
  SumTrees sums(kRanks);
  for (Rank one = 0; one < kRanks; ++one)
    for (Rank other = 0; other < kRanks; ++other) REQUIRE(sums.has(one, other) == (one == other));
  Rank shared = -1;
  SumTrees::Id all_but_64 = 0;
  for (Rank r = 1; r < kRanks; ++r)
    if (r != 64) all_but_64 = sums.add(all_but_64, r, shared);
  CHECK(shared == -1);
  CHECK(sums.missing_rank(all_but_64) == 64);
  CHECK(sums.bracketing(sums.add(129, 64, shared), 100) == "(64+129)");
  sums.add(all_but_64, sums.add(64, 128, shared), shared);
  CHECK(shared == 128);
}

TEST_CASE("a sum knows its contributions") {
  SumTrees sums(3);
  Rank shared = -1;
  const SumTrees::Id a = sums.add(2, 0, shared);
  CHECK(sums.bracketing(a, 100) == "(0+2)");
  CHECK(sums.missing_rank(a) == 1);
  sums.add(a, 2, shared);
  CHECK(shared == 2);
  CHECK(sums.missing_rank(sums.add(a, 1, shared)) == -1);
}
