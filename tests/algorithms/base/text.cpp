#include "algorithms/base/text.hpp"

#include <cstdint>
#include <limits>

#include "tests/support/catch.hpp"

using arlab::concat;

TEST_CASE("concat joins strings, characters and integers") {
  const std::string name = "ring";
  CHECK(concat() == "");
  CHECK(concat("rank ", 3, ": ", name, '!') == "rank 3: ring!");
  CHECK(concat(std::string_view("a\0b", 3), -1).size() == 5);
  CHECK(concat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(concat(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
}
