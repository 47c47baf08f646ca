// Groups, and the hierarchical algorithm on unusual groups; conformance.cpp tests it on usual ones.
#include "algorithms/groups.hpp"

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

TEST_CASE("groups and places are numbered in rank order") {
  const std::int32_t of_rank[] = {7, -1, 7, 7, -1, 30};
  const Groups groups(of_rank);
  CHECK(groups.ranks() == 6);
  CHECK(groups.count() == 3);
  CHECK(groups.group_of(0) == 0);
  CHECK(groups.group_of(4) == 1);
  CHECK(groups.group_of(5) == 2);
  CHECK(groups.place_of(3) == 2);
  CHECK(groups.size_of(0) == 3);
  CHECK(groups.member(1, 1) == 4);
  CHECK(groups.even_size() == 0);
  CHECK(Groups::consecutive(8, 4).even_size() == 4);
  CHECK(Groups::consecutive(9, 4).even_size() == 0);
  CHECK(Groups::consecutive(9, 4).count() == 3);
  CHECK(Groups::consecutive(3, 100).even_size() == 3);
  CHECK(Groups(std::span<const std::int32_t>()).even_size() == 0);
  CHECK(error_text(Blame::usage, [] { Groups::consecutive(8, 0); }) ==
        "groups of 0 ranks: give at least 1");
}

TEST_CASE("check rejects groups of another number of ranks") {
  const Groups groups = Groups::consecutive(8, 2);
  CHECK(error_text(Blame::usage, [&] { check({.ranks = 6, .groups = &groups}); }) ==
        "the groups have 8 ranks, but the problem has 6: give groups of all ranks");
}

TEST_CASE("hierarchical returns why it is unsupported") {
  const Algorithm& algorithm = find_algorithm("hierarchical");
  const Groups ragged = Groups::consecutive(10, 4);
  CHECK(unsupported(algorithm, {.ranks = 10, .elements = 5}) ==
        "hierarchical needs to know which ranks share a node: give the groups, or a topology that "
        "has groups");
  CHECK(unsupported(algorithm, {.ranks = 10, .elements = 5, .groups = &ragged}) ==
        "hierarchical needs groups of equal size, but these have 2 to 4 ranks: choose a number of "
        "ranks that fills them");
  CHECK(unsupported(algorithm, {.collective = Collective::reduce_scatter, .ranks = 8}) ==
        "hierarchical has no reduce_scatter form");
}

TEST_CASE("verify proves hierarchical on one group and on groups of one rank") {
  for (const Rank size : {1, 9}) {
    const Groups groups = Groups::consecutive(9, size);
    const Problem p{.ranks = 9, .elements = 100, .groups = &groups};
    CHECK(verify(find_algorithm("hierarchical"), p));
    CHECK(count(find_algorithm("hierarchical"), p).all.rounds == 16);
  }
}

TEST_CASE("hierarchical sends only N/S elements of a rank to other nodes, in each half") {
  const Groups groups = Groups::consecutive(32, 8);
  const Problem p{.ranks = 32, .elements = 3200, .groups = &groups};
  for (Rank me = 0; me < 32; ++me) {
    Count outside = 0;
    for (Program program = find_algorithm("hierarchical").program(p, me); program.next();)
      for (const Action& a : program.round())
        if (a.sends() && groups.group_of(a.peer) != groups.group_of(me))
          outside += p.blocks().size(a.chunks);
    CHECK(outside == 2 * 3 * 100);  // a ring of 4 nodes on 400 elements: 2 (4 - 1) chunks of 100
  }
}

TEST_CASE("hierarchical costs as much as its formula states") {
  for (const Rank size : {1, 2, 3, 4, 6, 12}) {
    const Count m = 12, groups = m / size, n = 1200;
    const Problem p{.ranks = 12, .elements = n, .groups = kept_groups(12, size, true)};
    CHECK(count(find_algorithm("hierarchical"), p).all ==
          Cost{2 * m * (size - 1) + 2 * m * (groups - 1), 2 * n * (m - 1),
               2 * (size - 1) + 2 * (groups - 1)});
  }
}
