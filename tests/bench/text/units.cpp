#include "bench/text/units.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers counts(const std::string& text) { return parse_counts({text}, "--size"); }

// The message, without "2: --size 'text' ".
std::string refused_count(const std::string& text) {
  const std::string what = failure([&] { counts(text); });
  const std::string begin = "2: --size '" + text + "' ";
  return what.starts_with(begin) ? what.substr(begin.size()) : what;
}

}  // namespace

TEST_CASE("lists and ranges") {
  CHECK(parse_counts({}, "n").empty());
  CHECK(parse_counts({"2", "1K..4K", "7"}, "n") == Numbers{2, 1024, 2048, 4096, 7});
  CHECK(counts("2..16") == Numbers{2, 4, 8, 16});
  CHECK(counts("3..20") == Numbers{3, 6, 12});
  CHECK(counts("2..200*10") == Numbers{2, 20, 200});
  CHECK(counts("1..4+1") == Numbers{1, 2, 3, 4});
  CHECK(counts("0..10+4") == Numbers{0, 4, 8});
  CHECK(counts("-4..4+4") == Numbers{-4, 0, 4});
  CHECK(counts("5..5") == Numbers{5});
  CHECK(counts("1K..2K+512") == Numbers{1024, 1536, 2048});
}

TEST_CASE("a number that is given twice counts once") {
  CHECK(parse_counts({"4", "4"}, "n") == Numbers{4});
  CHECK(parse_counts({"4", "2..8", "1K", "1024", "3"}, "n") == Numbers{4, 2, 8, 1024, 3});
  CHECK(without_repeats({"b", "a", "b", "a:x=1", "a"}) ==
        std::vector<std::string>{"b", "a", "a:x=1"});
}

TEST_CASE("rates of ports have a unit, or are too large to lack one") {
  CHECK(parse_port_rate("10G", "network") == 1.25e9);
  CHECK(parse_port_rate("10Gbps", "network") == 1.25e9);
  CHECK(parse_port_rate("1.25GB/s", "network") == 1.25e9);
  CHECK(parse_port_rate("1e10", "network") == 1.25e9);
  CHECK(parse_port_rate("1000000", "network") == 125'000);
  CHECK(parse_port_rate("25bps", "network") == 3.125);
  CHECK(parse_port_rate("8k", "network") == 1000);
  for (const char* text : {"25", "1", "400", "25.5", "999999", "1e5"}) {
    INFO(text);
    const std::string why = failure([&] { parse_port_rate(text, "--bandwidth"); });
    CHECK_THAT(why, contains("has no unit, so it is "));
  }
  CHECK(failure([] { parse_port_rate("25", "network"); }) ==
        "2: network '25' has no unit, so it is 25 bit/s: write 25G for 25 Gbit/s, or 25bps");
}

TEST_CASE("ranges up to the largest number end there") {
  CHECK(counts("1..9199999999999999999").back() == std::int64_t{1} << 62);
  CHECK(counts("1..9199999999999999999*4000000000") == Numbers{1, 4'000'000'000});
  CHECK(counts("9199999999999999990..9199999999999999999+5") ==
        Numbers{9199999999999999990, 9199999999999999995});
}

TEST_CASE("ranges that never end, or hold nothing, are refused") {
  const std::string never =
      "never ends: add at least 1 (1..64+1) or multiply by at least 2 (2..64x2)";
  CHECK(refused_count("2..8*1") == never);
  CHECK(refused_count("2..8*0") == never);
  CHECK(refused_count("2..8*-2") == never);
  CHECK(refused_count("2..8+0") == never);
  CHECK(refused_count("2..8+-1") == never);
  CHECK(refused_count("0..8") == "cannot double from below 1: add instead, for example 0..64+1");
  CHECK(refused_count("-2..8*3") == "cannot double from below 1: add instead, for example 0..64+1");
  CHECK(refused_count("8..2") == "ends before it begins: write the smaller number first");
  CHECK(refused_count("0..1000000+1") == "has over a million entries: take larger steps");
  CHECK(counts("1..1000000+1").size() == 1'000'000);
  for (const char* text : {"..", "1..", "..8"})
    CHECK(refused_count(text) == "lacks an end: write for example 2..64 or 1..64+1");
  CHECK(refused_count("1...8") ==
        "2: --size '.8' is not a whole number: write for example 1000, 64K or 4M");
  CHECK(refused_count("1..8+") ==
        "2: --size '' is not a count: write for example 1000, 64K or 4M (K = 1024)");
  CHECK_FALSE(refused_count("1..4..8").empty());
}

TEST_CASE("sizes, times and counts as people read them") {
  CHECK(show_bytes(0) == "0 B");
  CHECK(show_bytes(1000) == "1000 B");
  CHECK(show_bytes(1024) == "1 KiB");
  CHECK(show_bytes(1536) == "1.5 KiB");
  CHECK(show_bytes(4000012) == "3.815 MiB");
  CHECK(show_bytes(std::int64_t{1} << 50) == "1024 TiB");
  CHECK(show_bytes(std::numeric_limits<std::int64_t>::max()) == "8388608 TiB");
  CHECK(show_time(0) == "0 ns");
  CHECK(show_time(0.0805) == "80.5 ns");
  CHECK(show_time(12.3456) == "12.35 us");
  CHECK(show_time(4567.8) == "4.568 ms");
  CHECK(show_time(2.5e6) == "2.5 s");
  CHECK(show_count(-1048576) == "-1048576");
  CHECK(show_rate(2.2094) == "2.209");
  CHECK(show_rate(258.2) == "258.2");
  CHECK(show_rate(13570.4) == "13570");
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(1048576) == "1,048,576");
  CHECK(with_commas(-999) == "-999");
  CHECK(with_commas(-1000) == "-1,000");
  CHECK(with_commas(-123456) == "-123,456");
  CHECK(show_plural(1, "rank") == "1 rank");
  CHECK(show_plural(0, "rank") == "0 ranks");
  CHECK(show_plural(1024, "rank") == "1,024 ranks");
}

TEST_CASE("numbers at the edge of a unit keep to it") {
  CHECK(show_bytes(1023) == "1023 B");
  CHECK(show_bytes((1 << 20) - 1) == "1 MiB");
  CHECK(show_bytes((1 << 20) - 1024) == "1023 KiB");
  CHECK(show_time(999.99) == "1 ms");
  CHECK(show_time(999999.9) == "1 s");
  CHECK(show_time(0.99999) == "1 us");
}
