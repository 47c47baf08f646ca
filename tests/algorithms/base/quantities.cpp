#include "algorithms/base/quantities.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "algorithms/base/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

// The error's text without "x 'text' "; empty where there is none.
template <class Parse>
std::string refused(Parse parse, const std::string& text) {
  const std::string error = error_text(Blame::usage, [&] { parse(text, "x"); });
  const std::string begin = concat("x '", text, "' ");
  if (error == "no error") return "";
  return error.starts_with(begin) ? error.substr(begin.size()) : error;
}

}  // namespace

TEST_CASE("spaces around a text are trimmed") {
  CHECK(trimmed("  a b ") == "a b");
  CHECK(trimmed("   ").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("counts: K, M, G, T are powers of 1024") {
  CHECK(parse_count("0", "n") == 0);
  CHECK(parse_count("-5", "n") == -5);
  CHECK(parse_count(" 12 ", "n") == 12);
  CHECK(parse_count("7B", "n") == 7);
  CHECK(parse_count("1.5K", "n") == 1536);
  CHECK(parse_count("1e3", "n") == 1000);
  for (const char* suffix : {"K", "k", "Ki", "KiB", " KiB"})
    CHECK(parse_count(concat("3", suffix), "n") == 3 * 1024);
  CHECK(parse_count("3T", "n") == std::int64_t{3} << 40);
  CHECK(parse_count("9007199254740993", "n") == 9007199254740993);  // 2^53 + 1: exact
  CHECK(parse_count("8388607T", "n") == std::int64_t{8388607} << 40);
}

TEST_CASE("counts: KB, MB, GB and TB are refused, since they mean two numbers") {
  for (const char* text : {"1KB", "1kB", "1.5MB", "3 GB", "0TB"}) {
    INFO(text);
    CHECK(refused(parse_count, text).find("could be powers of 1000 or of 1024: write ") == 0);
  }
  CHECK(refused(parse_count, "2MB") ==
        "could be powers of 1000 or of 1024: write M or MiB (K = 1024), or all digits");
}

TEST_CASE("every printed count is parsed back") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto n = static_cast<std::int64_t>(random() >> (i % 64));
    REQUIRE(parse_count(std::to_string(n), "n") == n);
  }
  for (const auto n : {std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}})
    CHECK(parse_count(std::to_string(n), "n") == n);
}

TEST_CASE("parse_count rejects what is not a whole number of 64 bits") {
  for (const char* text :
       {"",    " ",  "four", "4X", "4KK", "4Kib", "K",   "0x10", "1,000", "nan",
        "4 4", "+4", "--4",  "1e", "4\n", "4E",   "inf", "-inf", "-",     "-K"}) {
    INFO(text);
    CHECK(refused(parse_count, text).find("is not a count: write") != std::string::npos);
  }
  for (const char* text : {"4.5", "0.3K", "1e-3"}) {
    INFO(text);
    CHECK(refused(parse_count, text) == "is not a whole number: write for example 1000, 64K or 4M");
  }
  for (const char* text : {"99999999999999999999", "9223372036854775808", "-9223372036854775809",
                           "8388608T", "8388608.0T", "-8388608.0T", "1e19", "1e300", "1e400"}) {
    INFO(text);
    CHECK(refused(parse_count, text) == "is beyond 64 bits: use a smaller number");
  }
}

TEST_CASE("every printed number is parsed back exactly") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 1000; ++i) {
    const double value = (i % 2 ? 1 : -1) * std::pow(10., exponent(random));
    REQUIRE(parse_number(show_number(value), "x") == value);
  }
  CHECK(show_number(0.1) == "0.1");
  CHECK(show_number(1 << 20) == "1048576");
  CHECK(show_number(4e9) == "4000000000");
  CHECK(show_number(1e-9) == "1e-09");
  CHECK(show_number(3e38) == "3e+38");
  CHECK(show_number(-2.5) == "-2.5");
  CHECK(show_number(1. / 3) == "0.3333333333333333");
}

TEST_CASE("parse_number rejects what is not a finite number without a unit") {
  for (const char* text : {"", "x", "1x", "nan", "inf", "-inf", "1e400", "+1", "1 2", "0x1"}) {
    INFO(text);
    CHECK(refused(parse_number, text) == "is not a number: write for example 4 or 1.5");
    CHECK_FALSE(refused(parse_ratio, text).empty());
  }
  CHECK(parse_number(" -1e-3 ", "x") == -1e-3);
  CHECK(parse_ratio("1.5", "x") == 1.5);
  for (const char* text : {"0", "-1"})
    CHECK(refused(parse_ratio, text) == "is not a number above zero: write for example 4 or 1.5");
}

TEST_CASE("times are exact in picoseconds") {
  CHECK(parse_time("0", "t") == 0);
  CHECK(parse_time("-0", "t") == 0);
  CHECK(parse_time("0.07ns", "t") == 70);
  CHECK(parse_time("5 us", "t") == 5e6);
  CHECK(parse_time("1e-3us", "t") == 1000);
  CHECK(parse_time("1.5ps", "t") == 1.5);
  CHECK(parse_time("9200000s", "t") == 9.2e18);
  for (int n = 0; n < 1000; ++n)
    REQUIRE(parse_time(concat("0.", std::to_string(n + 1000).substr(1), "ns"), "t") == n);
}

TEST_CASE("a time below a picosecond is not 0 in silence, one per byte keeps it") {
  for (const char* text : {"0.4ps", "0.5ps", "0.999ps", "1e-4ns", "1e-30s"}) {
    INFO(text);
    CHECK(refused(parse_time, text).find("is below a picosecond") == 0);
    CHECK(parse_time_per_byte(text, "t") > 0);
  }
  CHECK(parse_time_per_byte("0.4ps", "t") == 0.4);
  CHECK(refused(parse_time_per_byte, "-1ps").find("is negative") == 0);
}

TEST_CASE("every printed time is parsed back") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto ps = static_cast<double>(random() >> (10 + i % 54));
    if (ps > 9e18) continue;
    REQUIRE(parse_time(show_picoseconds(ps), "t") == Approx(ps).epsilon(1e-15));
  }
  CHECK(show_picoseconds(0) == "0");
  CHECK(show_picoseconds(80) == "80ps");
  CHECK(show_picoseconds(5e5) == "500ns");
  CHECK(show_picoseconds(5e6) == "5us");
}

TEST_CASE("a text that starts like nan or inf is read no further than its end") {
  for (const std::string text : {"nan", "natural2u", "-nan", "inf", "-infs", "infinity us"}) {
    const std::vector<char> exact(text.begin(), text.end());  // without a terminator
    INFO(text);
    CHECK(error_text(Blame::usage, [&] {
            parse_time({exact.data(), exact.size()}, "x");
          }) == "x '" + text + "' is not a time: write for example 5us, 0.08ns, 80ps or 0");
  }
}

TEST_CASE("parse_time rejects missing and unknown units, negative and endless times") {
  for (const char* text : {"", "5", "us", "nan", "nan s", "inf s", "1 hour", "200d", "1e5000s"}) {
    INFO(text);
    CHECK(refused(parse_time, text) == "is not a time: write for example 5us, 0.08ns, 80ps or 0");
  }
  CHECK(refused(parse_time, "-5us").find("is negative") == 0);
  CHECK(refused(parse_time, "1e8s").find("is beyond 64 bits of picoseconds") == 0);
}

TEST_CASE("bandwidths: k, M, G, T are powers of 1000, Ki of 1024, bits or bytes") {
  for (const auto& [text, value] : {std::pair("100Gbps", 12.5e9),
                                    {"100 Gbit/s", 12.5e9},
                                    {"12.5GB/s", 12.5e9},
                                    {"1KB/s", 1e3},
                                    {"1kB/s", 1e3},
                                    {"1KiB/s", 1024.},
                                    {"2MiBps", 2 * 1048576.},
                                    {"8bps", 1.},
                                    {"1.6Tb/s", 2e11}})
    CHECK(parse_bandwidth(text, "x") == Approx(value));
  for (const char* text :
       {"", "100", "fast", "100 G", "nan Gbps", "inf GB/s", "1e999GB/s", "1GBs"}) {
    INFO(text);
    CHECK(refused(parse_bandwidth, text) ==
          "is not a bandwidth: write for example 100Gbps or 12.5GB/s");
  }
  for (const char* text : {"0Gbps", "-1GB/s"})
    CHECK(refused(parse_bandwidth, text) ==
          "is not above zero: write for example 100Gbps or 12.5GB/s");
}

TEST_CASE("rates: K, M, G, T are powers of 1000") {
  CHECK(parse_rate("10G", "x") == 10e9);
  CHECK(parse_rate("2.5k", "x") == 2500);
  CHECK(parse_rate("1Ki", "x") == 1024);
  CHECK(parse_rate("7", "x") == 7);
  for (const char* text : {"", "0", "-1G", "10X", "10Gbps", "nan", "inf", "1e308T"}) {
    INFO(text);
    CHECK(refused(parse_rate, text) == "is not a rate above zero: write for example 10G or 2.5G");
  }
}

TEST_CASE("sizes and flags") {
  CHECK(parse_sizes("8", "x") == std::vector<std::int32_t>{8});
  CHECK(parse_sizes("8x 8 x4", "x") == std::vector<std::int32_t>{8, 8, 4});
  for (const char* text : {"", "x", "4x", "4x0", "-1", "4.5", "4194305", "99999999999", "4K"}) {
    INFO(text);
    CHECK(refused(parse_sizes, text).find("is not a size: write") == 0);
  }
  CHECK(parse_flag("yes", "x"));
  CHECK_FALSE(parse_flag("no", "x"));
  for (const char* text : {"", "maybe", "Yes", "1"})
    CHECK(refused(parse_flag, text) == "is neither yes nor no");
}
