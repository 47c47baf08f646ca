#include "bench/cli/units.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

using Counts = std::vector<std::int64_t>;

Counts counts(const std::string& text) { return parse_counts({text}, "--size"); }

// The message, without "2: --size 'text' ".
std::string refused(const std::string& text) {
  const std::string what = failure([&] { counts(text); });
  const std::string begin = "2: --size '" + text + "' ";
  return what.starts_with(begin) ? what.substr(begin.size()) : what;
}

std::string refused_time(const std::string& text) {
  return failure([&] { parse_time(text, "--alpha"); });
}

}  // namespace

TEST_CASE("counts with every suffix") {
  CHECK(parse_count("0", "n") == 0);
  CHECK(parse_count("1000003", "n") == 1000003);
  CHECK(parse_count("-5", "n") == -5);
  CHECK(parse_count(" 12 ", "n") == 12);
  CHECK(parse_count("12 KiB", "n") == 12 * 1024);
  CHECK(parse_count("1e3", "n") == 1000);
  CHECK(parse_count("1.5K", "n") == 1536);
  CHECK(parse_count("7B", "n") == 7);
  for (const char* suffix : {"K", "k", "KB", "Ki", "KiB", "kB"})
    CHECK(parse_count("3" + std::string(suffix), "n") == 3 * 1024);
  CHECK(parse_count("3M", "n") == 3 << 20);
  CHECK(parse_count("3GiB", "n") == std::int64_t{3} << 30);
  CHECK(parse_count("3T", "n") == std::int64_t{3} << 40);
}

TEST_CASE("counts are exact where a double is not") {
  CHECK(parse_count("9007199254740993", "n") == 9007199254740993);  // 2^53 + 1
  CHECK(parse_count("8796093022207K", "n") == 8796093022207 * 1024);
  CHECK(parse_count("9223372036854775807", "n") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_count("8388607T", "n") == std::int64_t{8388607} << 40);
}

TEST_CASE("what is no count is refused with its text") {
  const std::string hint = "is no count: write for example 1000, 64K or 4M (K = 1024)";
  for (const char* text : {"", " ", "four", "4X", "4KK", "4Kib", "K", "0x10", "1,000", "nan", "4 4",
                           "+4", "--4", "1e", "4\n"}) {
    INFO(text);
    CHECK(failure([&] { parse_count(text, "--size"); }).find(" is no count: write") !=
          std::string::npos);
  }
  CHECK(refused("4E") == hint);
  CHECK(refused("4.5") == "is no whole number: write for example 1000, 64K or 4M");
  CHECK(refused("0.3K") == "is no whole number: write for example 1000, 64K or 4M");
}

TEST_CASE("counts beyond 64 bits are refused") {
  for (const char* text : {"99999999999999999999", "9223372036854775808", "-9223372036854775809",
                           "8388608T", "1e19", "1e300", "1e400", "inf", "-inf"}) {
    INFO(text);
    CHECK(refused(text) == "is beyond 64 bits: use a smaller number");
  }
}

TEST_CASE("lists and ranges") {
  CHECK(parse_counts({}, "n").empty());
  CHECK(parse_counts({"2", "1K..4K", "7"}, "n") == Counts{2, 1024, 2048, 4096, 7});
  CHECK(counts("2..16") == Counts{2, 4, 8, 16});
  CHECK(counts("3..20") == Counts{3, 6, 12});
  CHECK(counts("2..200*10") == Counts{2, 20, 200});
  CHECK(counts("1..4+1") == Counts{1, 2, 3, 4});
  CHECK(counts("0..10+4") == Counts{0, 4, 8});
  CHECK(counts("-4..4+4") == Counts{-4, 0, 4});
  CHECK(counts("5..5") == Counts{5});
  CHECK(counts("1K..2K+512") == Counts{1024, 1536, 2048});
}

TEST_CASE("ranges up to the largest number end there") {
  CHECK(counts("1..9199999999999999999").back() == std::int64_t{1} << 62);
  CHECK(counts("1..9199999999999999999*4000000000") == Counts{1, 4'000'000'000});
  CHECK(counts("9199999999999999990..9199999999999999999+5") ==
        Counts{9199999999999999990, 9199999999999999995});
}

TEST_CASE("ranges that never end, or hold nothing, are refused") {
  const std::string never =
      "never ends: add at least 1 (1..64+1) or multiply by at least 2 (2..64*2)";
  CHECK(refused("2..8*1") == never);
  CHECK(refused("2..8*0") == never);
  CHECK(refused("2..8*-2") == never);
  CHECK(refused("2..8+0") == never);
  CHECK(refused("2..8+-1") == never);
  CHECK(refused("0..8") == "cannot double from below 1: add instead, for example 0..64+1");
  CHECK(refused("-2..8*3") == "cannot double from below 1: add instead, for example 0..64+1");
  CHECK(refused("8..2") == "ends before it begins: write the smaller number first");
  CHECK(refused("0..1000000+1") == "has over a million entries: take larger steps");
  CHECK(counts("1..1000000+1").size() == 1'000'000);
  for (const char* text : {"..", "1..", "..8"})
    CHECK(refused(text) == "lacks an end: write for example 2..64 or 1..64+1");
  CHECK(refused("1...8") == "2: --size '.8' is no whole number: write for example 1000, 64K or 4M");
  CHECK(refused("1..8+") ==
        "2: --size '' is no count: write for example 1000, 64K or 4M (K = 1024)");
  CHECK_FALSE(refused("1..4..8").empty());
}

TEST_CASE("times with every unit are exact in picoseconds") {
  CHECK(parse_time("0", "t") == 0);
  CHECK(parse_time("80ps", "t") == 80);
  CHECK(parse_time("0.08ns", "t") == 80);
  CHECK(parse_time("0.07ns", "t") == 70);
  CHECK(parse_time("1.1ns", "t") == 1100);
  CHECK(parse_time("5us", "t") == 5e6);
  CHECK(parse_time("5 us", "t") == 5e6);
  CHECK(parse_time("1.5ms", "t") == 1.5e9);
  CHECK(parse_time("2s", "t") == 2e12);
  CHECK(parse_time("0.5ps", "t") == 0.5);
  CHECK(parse_time("1e-3us", "t") == 1000);
  for (int n = 1; n < 1000; ++n)  // n / 1000 ns is n ps, whatever a double makes of n / 1000
    REQUIRE(parse_time("0." + std::to_string(n + 1000).substr(1) + "ns", "t") == n);
}

TEST_CASE("what is no time is refused with its text") {
  CHECK(refused_time("5") == "2: --alpha '5' is no time: write for example 5us, 0.08ns, 80ps or 0");
  for (const char* text : {"", "fast", "us", "-5us", "5 parsecs", "5uss", "nan", "inf", "infs",
                           "nanus", "1e", "5us 3", "1e5000s"}) {
    INFO(text);
    CHECK(refused_time(text).find("is no time: write") != std::string::npos);
  }
  CHECK(refused_time("1e300s") ==
        "2: --alpha '1e300s' is beyond 64 bits of picoseconds: use less than 106 days");
  CHECK(refused_time("9300000s").find("106 days") != std::string::npos);
  CHECK(parse_time("9200000s", "t") == 9.2e18);
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
  CHECK(show_count(0) == "0");
  CHECK(show_count(999) == "999");
  CHECK(show_count(1000) == "1'000");
  CHECK(show_count(1048576) == "1'048'576");
  CHECK(show_count(-999) == "-999");
  CHECK(show_count(-1000) == "-1'000");
  CHECK(show_count(-123456) == "-123'456");
  CHECK(show_plural(1, "rank") == "1 rank");
  CHECK(show_plural(0, "rank") == "0 ranks");
  CHECK(show_plural(1024, "rank") == "1'024 ranks");
}

TEST_CASE("numbers at the edge of a unit keep to it") {
  CHECK(show_bytes(1023) == "1023 B");
  CHECK(show_bytes((1 << 20) - 1) == "1 MiB");
  CHECK(show_bytes((1 << 20) - 1024) == "1023 KiB");
  CHECK(show_time(999.99) == "1 ms");
  CHECK(show_time(999999.9) == "1 s");
  CHECK(show_time(0.99999) == "1 us");
}

TEST_CASE("what is shown of a model's parameter is read back as the same number") {
  for (const char* text : {"0", "80ps", "5us", "0.08ns", "1.5us", "0.07ns", "3ms", "0.123456789us",
                           "1.1ps", "999999ps", "7s"}) {
    INFO(text);
    const double value = parse_time(text, "t");
    CHECK(parse_time(show_picoseconds(value), "t") == value);
  }
  CHECK(show_picoseconds(80) == "80ps");
  CHECK(show_picoseconds(5e5) == "500ns");
  CHECK(show_picoseconds(5e6) == "5us");
}
