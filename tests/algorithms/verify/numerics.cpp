#include "algorithms/verify/numerics.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;

namespace {

Numerics of(const char* algorithm, Rank ranks) {
  return numerics(find_algorithm(algorithm), {.ranks = ranks, .elements = 2 * Count{ranks}});
}

}  // namespace

TEST_CASE("a line of additions has the same bits for more ranks, a butterfly too") {
  CHECK(of("chain", 8).bracketing == "(0+(1+(2+(3+(4+(5+(6+7)))))))");
  CHECK(of("chain", 8).same_for_more_ranks);
  CHECK(of("master_worker", 8).same_for_more_ranks);
  CHECK(of("butterfly", 8).same_for_more_ranks);
  CHECK(of("tree", 5).same_for_more_ranks);
}

TEST_CASE("a ring adds each chunk in another order, with the same bits on all ranks") {
  const Numerics ring = of("ring", 8);
  CHECK(ring.same_on_all_ranks);
  CHECK_FALSE(ring.same_for_all_elements);
  CHECK_FALSE(ring.same_for_more_ranks);
}

TEST_CASE("all_to_all has other bits on each rank") {
  CHECK_FALSE(of("all_to_all", 8).same_on_all_ranks);
  CHECK_FALSE(of("recursive_multiplying", 8).same_on_all_ranks);
}

TEST_CASE("errors are at most the depth of the sum tree, in units of the last place") {
  for (const Algorithm& a : algorithms())
    for (const Rank ranks : unless_sanitized({1, 2, 9, 16}, {1, 9})) {
      const Problem p = grouped(a, {.ranks = ranks, .elements = 2 * Count{ranks}});
      if (!unsupported(a, p).empty()) continue;
      INFO(a.name << " on " << ranks);
      const Numerics found = numerics(a, p);
      CHECK(found.error <=
            ranks - 1 + 0.01);  // Higham 2002, section 4.2: any order of n - 1 additions
      if (ranks >= 9) CHECK(found.error > 0);
    }
  const Rank many = kSanitized ? 16 : 64;
  CHECK(of("butterfly", many).error < of("chain", many).error);
}

TEST_CASE("a collective that adds nothing has no numerics") {
  CHECK_THROWS_AS(numerics(find_algorithm("ring"),
                           {.collective = Collective::all_gather, .ranks = 2, .elements = 4}),
                  Error);
}
