#include "algorithms/problem.hpp"

#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

TEST_CASE("wrap takes any integer modulo the ranks") {
  for (const Rank ranks : {1, 2, 5, 64}) {
    const Problem p{.ranks = ranks};
    for (Count x = -3 * ranks; x <= 3 * ranks; ++x) {
      const Rank wrapped = p.wrap(x);
      REQUIRE(wrapped >= 0);
      REQUIRE(wrapped < ranks);
      REQUIRE((x - wrapped) % ranks == 0);
    }
  }
  const Problem huge{.ranks = 2147483647};
  CHECK(huge.wrap(-1) == 2147483646);
  CHECK(huge.wrap(Count{2147483646} + 2147483646) == 2147483645);
}

TEST_CASE("blocks cover the vector in order and differ by at most one element") {
  for (const Count elements : {0, 1, 3, 4, 5, 1000, 1009})
    for (const Rank ranks : {1, 2, 3, 4, 7, 64}) {
      const Blocks blocks = Problem{.ranks = ranks, .elements = elements}.blocks();
      Count next = 0, filled = 0;
      for (Rank i = 0; i < ranks; ++i) {
        REQUIRE(blocks.begin(i) == next);
        REQUIRE(blocks.size(i) >= elements / ranks);
        REQUIRE(blocks.size(i) <= (elements + ranks - 1) / ranks);
        if (i > 0) REQUIRE(blocks.size(i) <= blocks.size(i - 1));
        next += blocks.size(i);
        filled += blocks.size(i) > 0 ? 1 : 0;
      }
      REQUIRE(next == elements);
      REQUIRE(blocks.begin(ranks) == elements);
      REQUIRE(blocks.size(Chunks{0, ranks}) == elements);
      REQUIRE(filled == Problem{.ranks = ranks, .elements = elements}.filled_chunks());
    }
}

TEST_CASE("a range of chunks has the elements of its blocks") {
  const Blocks blocks = Problem{.ranks = 4, .elements = 10}.blocks();  // 3 3 2 2
  CHECK(blocks.size(Chunks{1, 2}) == 5);
  CHECK(blocks.size(Chunks{3, 1}) == 2);
  CHECK(Problem{.ranks = 4}.chunk(-1) == Chunks{3, 1});
  CHECK(Problem{.ranks = 4}.all() == Chunks{0, 4});
}

TEST_CASE("logarithms of powers of two and their neighbors") {
  CHECK(floor_log2(1) == 0);
  CHECK(ceil_log2(1) == 0);
  CHECK(ceil_log2(2) == 1);
  for (int k = 2; k < 62; ++k) {
    const Count power = Count{1} << k;
    CHECK(floor_log2(power) == k);
    CHECK(ceil_log2(power) == k);
    CHECK(floor_log2(power - 1) == k - 1);
    CHECK(ceil_log2(power - 1) == k);
    CHECK(ceil_log2(power + 1) == k + 1);
  }
  CHECK_THROWS_AS(floor_log2(0), Error);
}

TEST_CASE("a collective is found by its name") {
  for (const Collective c : kCollectives)
    CHECK(find_named(kCollectives, name(c), "collective") == c);
  CHECK_THROWS_AS(find_named(kCollectives, "all_reduce", "collective"), Error);
}

TEST_CASE("check names the bad value and the remedy") {
  const auto text = [](const Problem& p) { return error_text(Blame::usage, [&] { check(p); }); };
  CHECK(text({.ranks = 0}) == "ranks is 0: give at least 1");
  CHECK(text({.ranks = -3}) == "ranks is -3: give at least 1");
  CHECK(text({.ranks = 2, .elements = -1}) == "elements is -1: give 0 or more");
  CHECK(text({.ranks = 4, .root = 4}) ==
        "root is 4, but the ranks are 0 to 3: choose one of those");
  CHECK(text({.ranks = 4, .root = -1}) ==
        "root is -1, but the ranks are 0 to 3: choose one of those");
  CHECK(text({.ranks = 4, .elements = 9000000000000000000}) ==
        "elements is 9000000000000000000: with 4 ranks the bytes sent could not be counted in 64 "
        "bits, give at most 4503599627370495");
  CHECK_NOTHROW(check({.ranks = 4, .elements = 4503599627370495}));
  CHECK_NOTHROW(check({.ranks = 1, .elements = 0}));
}
