#include "algorithms/base/random.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace arlab;

TEST_CASE("a draw depends on its seed, stream and number only") {
  const Random random(42);
  CHECK(random(7) == Random(42)(7));
  CHECK(random(0) == 0xa1b0ca6405037941);  // computed with Python
  std::set<std::uint64_t> seen;
  for (std::uint64_t stream = 0; stream < 100; ++stream)
    for (std::uint64_t number = 0; number < 100; ++number) seen.insert(random.of(stream)(number));
  CHECK(seen.size() == 10'000);
}

TEST_CASE("draws below a bound are uniform") {
  const Random random(1);
  std::vector<int> seen(7, 0);
  for (std::uint64_t i = 0; i < 70'000; ++i) ++seen[static_cast<std::size_t>(random.below(7, i))];
  for (const int n : seen) CHECK(std::abs(n - 10'000) < 500);  // 5.4 sigma
  CHECK(random.below(1, 3) == 0);
  CHECK(random.below(Count{1} << 62, 3) > 0);
}

TEST_CASE("a shuffle is a permutation that depends on its key only") {
  std::vector<int> a{0, 1, 2, 3, 4, 5, 6, 7}, b = a;
  shuffle(a, Random(3));
  shuffle(b, Random(3));
  CHECK(a == b);
  CHECK(std::set<int>(a.begin(), a.end()).size() == 8);
  std::vector<int> none;
  shuffle(none, Random(3));
  CHECK(none.empty());
}
