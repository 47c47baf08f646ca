#include "algorithms/verify/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
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

TEST_CASE("each rank adds all elements in one order, though ranks differ") {
  const auto each_in_its_own = [](const char* algorithm, Rank ranks) {
    INFO(algorithm << " on " << ranks);
    const Numerics found = of(algorithm, ranks);
    CHECK(found.same_for_all_elements);
    CHECK_FALSE(found.same_on_all_ranks);
    CHECK_FALSE(found.same_for_more_ranks);
  };
  for (const char* algorithm : {"all_to_all", "trivance", "recursive_multiplying:k=3"})
    each_in_its_own(algorithm, 3);
  for (const Rank ranks : {9, 12}) each_in_its_own("swing_whole", ranks);
  // A lane of each direction.
  CHECK_FALSE(of("bidirectional_ring", 4).same_for_all_elements);
  // Each rank has one element only, whose bits depend on its place.
  const Numerics scattered =
      numerics(find_algorithm("ring"),
               {.collective = Collective::reduce_scatter, .ranks = 4, .elements = 8});
  CHECK_FALSE(scattered.same_for_all_elements);
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

// Of the documented inputs, added in the chain's order.
TEST_CASE(
    "a chain's error is the largest of 8 inputs each of one sign, both signs, and all sizes") {
  __extension__ using Wide = __int128;
  for (const Rank ranks : {2, 3, 5, 9, 17}) {
    double largest = 0;
    for (unsigned input = 0; input < 24; ++input) {
      float sum = 0;
      Wide exact = 0;  // in units of 2^-44
      double size = 0;
      for (Rank r = ranks - 1; r >= 0; --r) {
        const std::uint64_t bits = Random(input)(static_cast<std::uint64_t>(r));
        float x = 1 + static_cast<float>(bits % 16777216) / 16777216;
        if (input % 3 != 0 && bits >= std::uint64_t{1} << 63) x = -x;
        if (input % 3 == 2) x *= std::exp2(static_cast<float>(bits / 4294967296 % 256 % 41) - 20);
        sum = x + sum;
        exact += static_cast<Wide>(x * 0x1p44);
        size += std::abs(static_cast<double>(x));
      }
      const double error =
          std::abs(static_cast<double>(sum) - static_cast<double>(exact) * 0x1p-44);
      largest = std::max(largest, error / size * 0x1p24);
    }
    INFO(ranks << " ranks");
    CHECK(of("chain", ranks).error == Approx(largest).epsilon(1e-9));
  }
}

TEST_CASE("a collective that adds nothing has no numerics") {
  CHECK_THROWS_AS(numerics(find_algorithm("ring"),
                           {.collective = Collective::all_gather, .ranks = 2, .elements = 4}),
                  Error);
}
