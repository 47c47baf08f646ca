#include "bench/text/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_set>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

constexpr std::size_t kLongestList = 1'000'000;

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view hint) {
  fail(Blame::usage, fmt::format("{} '{}' {}", what, text, hint));
}

// "first..last", "first..last*factor", "first..lastxfactor" or "first..last+step".
void expand_range(std::string_view text, std::size_t dots, std::string_view what,
                  std::vector<std::int64_t>& out) {
  std::string_view last_text = text.substr(dots + 2);
  if (dots == 0 || last_text.empty())
    refuse(what, text, "lacks an end: write for example 2..64 or 1..64+1");
  const std::size_t by = last_text.find_first_of("*x+");
  const bool adds = by != std::string_view::npos && last_text[by] == '+';
  const std::int64_t stride =
      by == std::string_view::npos ? 2 : parse_count(last_text.substr(by + 1), what);
  if (by != std::string_view::npos) last_text = last_text.substr(0, by);
  const std::int64_t first = parse_count(text.substr(0, dots), what);
  const std::int64_t last = parse_count(last_text, what);
  if (last < first) refuse(what, text, "ends before it begins: write the smaller number first");
  if (adds ? stride < 1 : stride < 2)
    refuse(what, text, "never ends: add at least 1 (1..64+1) or multiply by at least 2 (2..64x2)");
  if (!adds && first < 1)
    refuse(what, text, "cannot double from below 1: add instead, for example 0..64+1");
  for (std::int64_t x = first; x <= last;) {
    if (out.size() == kLongestList)
      refuse(what, text, "has over a million entries: take larger steps");
    out.push_back(x);
    if (adds ? x > last - stride : x > last / stride) break;
    x = adds ? x + stride : x * stride;
  }
}

}  // namespace

std::vector<std::int64_t> parse_counts(const std::vector<std::string>& texts,
                                       std::string_view what) {
  std::vector<std::int64_t> all;
  for (const std::string& text : texts) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos)
      all.push_back(parse_count(text, what));
    else
      expand_range(text, dots, what, all);
  }
  std::unordered_set<std::int64_t> there;
  std::erase_if(all, [&](std::int64_t number) { return !there.insert(number).second; });
  return all;
}

std::vector<std::string> without_repeats(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) add_once(all, text);
  return all;
}

std::int32_t checked_number(std::int64_t number, std::string_view what, std::int32_t least,
                            std::int32_t most) {
  if (number < least || number > most)
    fail(Blame::usage, fmt::format("{} is {}: give {} to {}", what, number, least, most));
  return static_cast<std::int32_t>(number);
}

std::string show_percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

std::uint64_t parse_seed(std::string_view text, std::string_view what) {
  const std::int64_t number = parse_count(text, what);
  if (number < 0)
    fail(Blame::usage, fmt::format("{} is {}: give a number of 0 or more", what, number));
  return static_cast<std::uint64_t>(number);
}

double parse_port_rate(const std::string& text, const std::string& what) {
  constexpr double kLeast = 1, kMost = 1e15;  // those of a topology's links
  constexpr double kSlowestPlain = 1e6;       // bits; "25" is meant to be 25G
  const bool plain = text.find_first_not_of("0123456789.eE+- ") == std::string::npos;
  if (const double bits = plain ? parse_rate(text, what) : kSlowestPlain; bits < kSlowestPlain)
    refuse(what, text,
           fmt::format("has no unit, so it is {} bit/s: write {}G for {} Gbit/s, or {}bps",
                       show_number(bits), show_number(bits), show_number(bits), show_number(bits)));
  const double rate =
      text.ends_with('s') ? parse_bandwidth(text, what) : parse_rate(text, what) / 8;
  if (!(rate >= kLeast && rate <= kMost))
    refuse(what, text, "is not from 8 to 8e15 bits per second: write for example 10G or 2.5G");
  return rate;
}

std::string show_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  // Whole, or with what distinguishes it from its neighbors.
  return value == std::floor(value) ? fmt::format("{:.0f} {}", value, kUnits[unit])
                                    : fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string show_time(double us) {
  // A unit ends where its numbers would be rounded to 1000.
  if (us < 0.9995) return fmt::format("{:.3g} ns", us * 1e3);
  if (us < 999.95) return fmt::format("{:.4g} us", us);
  if (us < 999.95e3) return fmt::format("{:.4g} ms", us / 1e3);
  return fmt::format("{:.4g} s", us / 1e6);
}

std::string show_count(std::int64_t count) { return std::to_string(count); }

std::string with_commas(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > (count < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string show_plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string show_bandwidth(double bytes_per_second) {
  constexpr std::array<std::string_view, 6> kUnits{"bit/s",  "kbit/s", "Mbit/s",
                                                   "Gbit/s", "Tbit/s", "Pbit/s"};
  double value = bytes_per_second * 8;
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string show_rate(double per_second) {
  return per_second >= 1000 ? fmt::format("{:.0f}", per_second) : fmt::format("{:.4g}", per_second);
}

}  // namespace arlab::bench
