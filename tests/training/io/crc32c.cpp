#include "training/io/crc32c.hpp"

#include <numeric>
#include <string>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("crc32c gives the values of RFC 3720") {
  std::string rising(32, '\0'), falling(32, '\0');
  std::iota(rising.begin(), rising.end(), char{0});
  std::iota(falling.rbegin(), falling.rend(), char{0});
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(crc32c(rising) == 0x46dd794e);
  CHECK(crc32c(falling) == 0x113fdb5c);
  CHECK(crc32c("123456789") == 0xe3069283);
  CHECK(crc32c("") == 0);
}

TEST_CASE("crc32c of pieces equals that of the whole") {
  const std::string text = "All for one, and one for all: united we stand, divided we fall.";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    CHECK(crc32c(std::string_view(text).substr(cut), crc32c(text.substr(0, cut))) == crc32c(text));
}
