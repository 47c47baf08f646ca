#include "tests/support/differences.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("differences of vectors are said in a line") {
  using Bytes = std::vector<std::byte>;
  CHECK(differences<float>({}, {}) == "");
  CHECK(differences<float>({1, 2}, {1, 2}) == "");
  CHECK(differences<float>({1, 2, 4}, {1, 0.5f, 3}) ==
        "2 of 3 differ, the first at 1: 2 instead of 0.5");
  CHECK(differences<float>({1}, {1, 2}) == "1 instead of 2 elements");
  CHECK(differences<float>({NAN}, {1}) == "1 of 1 differ, the first at 0: nan instead of 1");
  CHECK(differences(Bytes{std::byte{65}}, Bytes{std::byte{66}}) ==
        "1 of 1 differ, the first at 0: 65 instead of 66");
  CHECK(differences<std::uint8_t>({65}, {0}) == "1 of 1 differ, the first at 0: 65 instead of 0");
}

TEST_CASE("differences of long vectors take no time") {
  const std::vector<float> zeros(1'000'003), ones(1'000'003, 1);
  CHECK(differences(ones, zeros) == "1000003 of 1000003 differ, the first at 0: 1 instead of 0");
}
