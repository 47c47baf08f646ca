#include "bench/cli/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

constexpr std::size_t kLongestList = 1'000'000;

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view hint) {
  fail(Blame::usage, fmt::format("{} '{}' {}", what, text, hint));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The binary exponent of a suffix such as "", "K", "MiB"; -1 if it is none.
int exponent_of(std::string_view suffix) {
  constexpr std::string_view kLetters = "KMGT";
  if (suffix.empty() || suffix == "B") return 0;
  const char letter = suffix[0] == 'k' ? 'K' : suffix[0];
  const std::size_t place = kLetters.find(letter);
  const std::string_view rest = suffix.substr(1);
  if (place == std::string_view::npos) return -1;
  return rest.empty() || rest == "i" || rest == "B" || rest == "iB"
             ? 10 * (static_cast<int>(place) + 1)
             : -1;
}

// "first..last", "first..last*factor" or "first..last+step".
void expand_range(std::string_view text, std::size_t dots, std::string_view what,
                  std::vector<std::int64_t>& out) {
  std::string_view last_text = text.substr(dots + 2);
  if (dots == 0 || last_text.empty())
    refuse(what, text, "lacks an end: write for example 2..64 or 1..64+1");
  const std::size_t by = last_text.find_first_of("*+");
  const bool adds = by != std::string_view::npos && last_text[by] == '+';
  const std::int64_t stride =
      by == std::string_view::npos ? 2 : parse_count(last_text.substr(by + 1), what);
  if (by != std::string_view::npos) last_text = last_text.substr(0, by);
  const std::int64_t first = parse_count(text.substr(0, dots), what);
  const std::int64_t last = parse_count(last_text, what);
  if (last < first) refuse(what, text, "ends before it begins: write the smaller number first");
  if (adds ? stride < 1 : stride < 2)
    refuse(what, text, "never ends: add at least 1 (1..64+1) or multiply by at least 2 (2..64*2)");
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

std::int64_t parse_count(std::string_view text, std::string_view what) {
  text = trimmed(text);
  constexpr std::string_view kHint = "is no count: write for example 1000, 64K or 4M (K = 1024)";
  double mantissa = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mantissa);
  if (error == std::errc::invalid_argument) refuse(what, text, kHint);
  const int exponent = exponent_of(trimmed({end, text.data() + text.size()}));
  if (exponent < 0 || std::isnan(mantissa)) refuse(what, text, kHint);
  std::int64_t whole = 0;  // exact, where a double would round
  const auto [digits_end, overflow] =
      std::from_chars(text.data(), text.data() + text.size(), whole);
  const double value = std::ldexp(mantissa, exponent);
  const std::int64_t factor = std::int64_t{1} << exponent;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / factor;
  const bool is_whole = digits_end == end;
  if (error != std::errc{} || overflow == std::errc::result_out_of_range ||
      (is_whole ? whole < -most || whole > most : std::abs(value) >= 0x1p63))
    refuse(what, text, "is beyond 64 bits: use a smaller number");
  if (is_whole) return whole * factor;
  if (value != std::floor(value))
    refuse(what, text, "is no whole number: write for example 1000, 64K or 4M");
  return static_cast<std::int64_t>(value);
}

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
  return all;
}

double parse_time(std::string_view text, std::string_view what) {
  text = trimmed(text);
  long double value = 0;  // so that 0.07ns is exactly 70ps
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = trimmed({end, text.data() + text.size()});
  constexpr std::array<std::pair<std::string_view, long double>, 5> kUnits{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  constexpr std::string_view kHint = "is no time: write for example 5us, 0.08ns, 80ps or 0";
  constexpr long double kLongest = 9.2e18L;
  if (error != std::errc{} || !std::isfinite(value) || value < 0) refuse(what, text, kHint);
  if (unit.empty() && value == 0) return 0;
  for (const auto& [name, picoseconds] : kUnits)
    if (unit == name) {
      if (value * picoseconds > kLongest)
        refuse(what, text, "is beyond 64 bits of picoseconds: use less than 106 days");
      return static_cast<double>(value * picoseconds);
    }
  refuse(what, text, kHint);
}

std::string show_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  // Whole, or with what tells it from its neighbours.
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

std::string show_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > (count < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), "'");
  return digits;
}

std::string show_plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", show_count(count), noun, count == 1 ? "" : "s");
}

std::string show_bandwidth(double bytes_per_second) {
  constexpr std::array<std::string_view, 6> kUnits{"bit/s",  "kbit/s", "Mbit/s",
                                                   "Gbit/s", "Tbit/s", "Pbit/s"};
  double value = bytes_per_second * 8;
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string show_picoseconds(double ps) {
  if (ps == 0) return "0";
  if (ps >= 1e6) return fmt::format("{}us", ps / 1e6);
  if (ps >= 1e3) return fmt::format("{}ns", ps / 1e3);
  return fmt::format("{}ps", ps);
}

}  // namespace arlab::bench
