#include "bench/logs/words.hpp"

#include <cmath>

#include "algorithms/base/read_number.hpp"

namespace arlab::bench {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the length of the pattern at the beginning of the text, or 0. In the pattern, 0 is a
// digit, and every other character itself.
std::size_t matches(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != pattern[i]) return 0;
  return pattern.size();
}

// Returns the length of a fraction of a second and a time zone.
std::size_t end_of_time(std::string_view rest) {
  std::size_t n = 0;
  if (n + 1 < rest.size() && (rest[n] == '.' || rest[n] == ',') && is_digit(rest[n + 1]))
    for (++n; n < rest.size() && is_digit(rest[n]);) ++n;
  if (n < rest.size() && rest[n] == 'Z') return n + 1;
  for (const char* zone : {"+00:00", "-00:00", "+0000", "-0000"})
    if (const std::size_t length = matches(rest.substr(n), zone)) return n + length;
  return n;
}

// Returns the length of a time stamp at the beginning of the text, or 0: "2026-07-09 12:00:00.5Z",
// "[12:00:00]", "Jul  9 12:00:00".
std::size_t stamp(std::string_view text) {
  const std::size_t bracket = !text.empty() && text[0] == '[' ? 1 : 0;
  std::string_view rest = text.substr(bracket);
  std::size_t length = 0;
  for (const char* date :
       {"0000-00-00T00:00:00", "0000-00-00 00:00:00", "0000/00/00 00:00:00", "00:00:00"})
    if ((length = matches(rest, date)) > 0) break;
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (length == 0 && rest.size() > 15) {
    const std::size_t month = kMonths.find(rest.substr(0, 3));
    if (month != std::string_view::npos && month % 3 == 0 && rest[3] == ' ' &&
        (rest[4] == ' ' || is_digit(rest[4])) && matches(rest.substr(5), "0 00:00:00") > 0)
      length = 15;
  }
  if (length == 0) return 0;
  length += end_of_time(rest.substr(length));
  rest.remove_prefix(length);
  if (bracket > 0 && (rest.empty() || rest[0] != ']')) return 0;
  length += 2 * bracket;
  const bool ends = length == text.size() || text[length] == ' ' || text[length] == '\t' ||
                    text[length] == ':' || text[length] == '\r';
  return ends ? length + (length < text.size() && text[length] == ':' ? 1 : 0) : 0;
}

// Returns the length of a terminal's escape sequence, or 0.
std::size_t escape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  std::size_t n = 2;
  while (n < text.size() && (is_digit(text[n]) || text[n] == ';')) ++n;
  return n < text.size() ? n + 1 : n;
}

}  // namespace

std::string without_stamps(std::string_view line) {
  std::string kept;
  kept.reserve(line.size());
  for (std::size_t i = 0; i < line.size();) {
    const bool begins = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t' || line[i - 1] == '|';
    std::size_t skip = escape(line.substr(i));
    if (skip == 0 && begins) skip = stamp(line.substr(i));
    if (skip > 0) {
      i += skip;
      continue;
    }
    const auto c = static_cast<unsigned char>(line[i]);
    kept += c < 0x20 || c == 0x7f ? ' ' : line[i];
    ++i;
  }
  return kept;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  if (word.starts_with('-')) return std::nullopt;  // also -0
  return read_number<std::int64_t>(word);
}

std::optional<Printed> printed_number(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  if (word.empty() || word.size() > kLongest ||
      word.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  const auto value = read_number<double>(word);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  const std::size_t exponent = word.find_first_of("eE"), point = word.find('.');
  const std::string_view digits = word.substr(0, exponent);
  const int decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  int power = 0;
  if (exponent != std::string_view::npos) {
    std::string_view text = word.substr(exponent + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    from_chars(text.data(), text.data() + text.size(), power);
  }
  // A little more than a half, since the program rounded a binary number.
  return Printed{*value, 0.501 * std::pow(10.0, power - decimals), decimals};
}

}  // namespace arlab::bench
