#include "algorithms/base/quantities.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

constexpr std::string_view kPrefixes = "KMGT";
constexpr std::int32_t kMaxSize = 1 << 22;

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view hint) {
  fail(Blame::usage, concat(what, " '", text, "' ", hint));
}

// A number at the start of a text, and what follows it.
template <class Real>
struct Leading {
  Real value = 0;
  std::string_view unit;
  bool found = false;     // false: the text does not start with a number
  bool overflow = false;  // beyond what Real holds
};

template <class Real>
Leading<Real> leading_number(std::string_view text) {
  Leading<Real> read;
  // "nan" and "inf" are not quantities, and libstdc++ 12 reads past the end of texts like them.
  if (text.find_first_of("0123456789.") > (text.starts_with('-') ? 1u : 0u)) return read;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), read.value);
  read.found = error != std::errc::invalid_argument;
  read.overflow = error == std::errc::result_out_of_range;
  read.unit = {end, static_cast<std::size_t>(text.data() + text.size() - end)};
  read.unit = trimmed(read.unit);
  return read;
}

// The power of an SI or binary prefix at the start of `unit`, which loses it; 0 if there is none.
int take_prefix(std::string_view& unit) {
  if (unit.empty()) return 0;
  const std::size_t place = kPrefixes.find(unit[0] == 'k' ? 'K' : unit[0]);
  if (place == std::string_view::npos) return 0;
  unit.remove_prefix(1);
  return static_cast<int>(place) + 1;
}

// The binary exponent of a suffix such as "", "K", "MiB"; -1 for any other.
int exponent_of(std::string_view suffix) {
  const int power = take_prefix(suffix);
  if (power == 0) return suffix.empty() || suffix == "B" ? 0 : -1;
  return suffix.empty() || suffix == "i" || suffix == "iB" ? 10 * power : -1;
}

// Whether it is "kB", "MB", ...: 1000 to some, 1024 to others.
bool is_ambiguous(std::string_view suffix) { return take_prefix(suffix) > 0 && suffix == "B"; }

// A rate's number times its prefix, and the unit that follows.
std::pair<double, std::string_view> scaled(std::string_view text, std::string_view what,
                                           std::string_view hint) {
  auto [value, unit, found, overflow] = leading_number<double>(trimmed(text));
  if (!found || overflow || !std::isfinite(value)) refuse(what, text, hint);
  if (const int power = take_prefix(unit); power > 0) {
    const bool binary = unit.starts_with('i');
    if (binary) unit.remove_prefix(1);
    value *= std::pow(binary ? 1024. : 1000., power);
  }
  return {value, unit};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::int64_t parse_count(std::string_view text, std::string_view what) {
  text = trimmed(text);
  constexpr std::string_view kHint = "is not a count: write for example 1000, 64K or 4M (K = 1024)";
  const auto [mantissa, unit, found, overflow] = leading_number<double>(text);
  const int exponent = exponent_of(unit);
  if (found && is_ambiguous(unit))
    refuse(what, text,
           concat("could be powers of 1000 or of 1024: write ", unit.substr(0, 1), " or ",
                  unit.substr(0, 1), "iB (K = 1024), or all digits"));
  if (!found || exponent < 0 || std::isnan(mantissa)) refuse(what, text, kHint);
  std::int64_t whole = 0;  // exact, where a double would round
  const auto [digits_end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const std::string_view rest(digits_end,
                              static_cast<std::size_t>(text.data() + text.size() - digits_end));
  const bool is_whole = error != std::errc::invalid_argument && trimmed(rest) == unit;
  const double value = std::ldexp(mantissa, exponent);
  const std::int64_t factor = std::int64_t{1} << exponent;
  const std::int64_t max = std::numeric_limits<std::int64_t>::max() / factor;
  if (overflow || error == std::errc::result_out_of_range ||
      (is_whole ? whole < -max || whole > max : std::abs(value) >= 0x1p63))
    refuse(what, text, "is beyond 64 bits: use a smaller number");
  if (is_whole) return whole * factor;
  if (value != std::floor(value))
    refuse(what, text, "is not a whole number: write for example 1000, 64K or 4M");
  return static_cast<std::int64_t>(value);
}

double parse_number(std::string_view text, std::string_view what) {
  const auto [value, unit, found, overflow] = leading_number<double>(trimmed(text));
  if (!found || overflow || !unit.empty() || !std::isfinite(value))
    refuse(what, text, "is not a number: write for example 4 or 1.5");
  return value;
}

double parse_ratio(std::string_view text, std::string_view what) {
  const auto [value, unit, found, overflow] = leading_number<double>(trimmed(text));
  if (!found || overflow || !unit.empty() || !std::isfinite(value) || value <= 0)
    refuse(what, text, "is not a number above zero: write for example 4 or 1.5");
  return value;
}

double parse_time(std::string_view text, std::string_view what) {
  const double picoseconds = parse_time_per_byte(text, what);
  if (picoseconds > 0 && picoseconds < 1)
    refuse(what, text, "is below a picosecond, the unit of simulated time: use 0, or at least 1ps");
  return picoseconds;
}

double parse_time_per_byte(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is not a time: write for example 5us, 0.08ns, 80ps or 0";
  constexpr long double kLongest = 9.2e18L;
  constexpr std::pair<std::string_view, long double> kUnits[] = {
      {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
  text = trimmed(text);
  // Long, so that 0.07ns is exactly 70ps.
  const auto [value, unit, found, overflow] = leading_number<long double>(text);
  if (!found || overflow || !std::isfinite(value)) refuse(what, text, kHint);
  if (value < 0) refuse(what, text, "is negative: write for example 5us, 80ps or 0");
  if (unit.empty() && value == 0) return 0;
  for (const auto& [name, picoseconds] : kUnits)
    if (unit == name) {
      if (value * picoseconds > kLongest)
        refuse(what, text, "is beyond 64 bits of picoseconds: use less than 106 days");
      return static_cast<double>(value * picoseconds);
    }
  refuse(what, text, kHint);
}

double parse_rate(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is not a rate above zero: write for example 10G or 2.5G";
  const auto [value, unit] = scaled(text, what, kHint);
  if (!unit.empty() || !(value > 0) || std::isinf(value)) refuse(what, text, kHint);
  return value;
}

double parse_bandwidth(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is not a bandwidth: write for example 100Gbps or 12.5GB/s";
  const auto [value, unit] = scaled(text, what, kHint);
  const bool bits = unit == "bps" || unit == "b/s" || unit == "bit/s";
  if (!bits && unit != "Bps" && unit != "B/s") refuse(what, text, kHint);
  if (value <= 0) refuse(what, text, "is not above zero: write for example 100Gbps or 12.5GB/s");
  return bits ? value / 8 : value;
}

std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what) {
  std::vector<std::int32_t> sizes;
  for (std::string_view rest = text;;) {
    const std::size_t at = rest.find('x');
    const std::string_view part = trimmed(rest.substr(0, at));
    const auto size = read_number<std::int32_t>(part);
    if (!size || *size < 1 || *size > kMaxSize)
      refuse(what, text, "is not a size: write whole numbers from 1 on, such as 8, or 8x8x4");
    sizes.push_back(*size);
    if (at == std::string_view::npos) return sizes;
    rest.remove_prefix(at + 1);
  }
}

bool parse_flag(std::string_view text, std::string_view what) {
  if (text == "yes") return true;
  if (text != "no") refuse(what, text, "is neither yes nor no");
  return false;
}

std::string show_number(double value) {
  char text[64];
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }
  for (const int digits : {6, 10, 15, 16, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string show_picoseconds(double ps) {
  if (ps == 0) return "0";
  if (ps >= 1e6) return show_number(ps / 1e6) + "us";
  if (ps >= 1e3) return show_number(ps / 1e3) + "ns";
  return show_number(ps) + "ps";
}

}  // namespace arlab
