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
