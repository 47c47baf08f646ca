// Fuzzes the readers of numbers with units. The first character selects the reader. What they read
// must be in range, and survive writing and reading.
#include "algorithms/base/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/fuzz/fuzz.hpp"

namespace {

using arlab::fuzz::demand;

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void count(std::string_view text) {
  const std::int64_t read = arlab::parse_count(text, "count");
  if (is_digits(text))
    demand(read == std::strtoll(std::string(text).c_str(), nullptr, 10), "another whole number");
  demand(arlab::parse_count(std::to_string(read), "count") == read, "changes when written");
}

void number(std::string_view text) {
  const double read = arlab::parse_number(text, "number");
  demand(std::isfinite(read), "not finite");
  demand(arlab::parse_number(arlab::show_number(read), "number") == read, "changes when written");
}

void time(std::string_view text) {
  const double read = arlab::parse_time(text, "time");
  demand(read >= 0 && read < 0x1p63, "beyond 64 bits");
  const double again = arlab::parse_time(arlab::show_picoseconds(read), "time");
  demand(std::abs(again - read) <= 1e-12 * read, "changes when written");
}

void positive(double read) { demand(std::isfinite(read) && read > 0, "not above zero"); }

void sizes(std::string_view text) {
  const auto read = arlab::parse_sizes(text, "sizes");
  demand(!read.empty(), "no sizes");
  for (const std::int32_t size : read) demand(size >= 1 && size <= 1 << 22, "a size out of range");
}

}  // namespace

void arlab::fuzz::quantities(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  accepted([&] {
    switch (input[0]) {
      case 'c':
        return count(text);
      case 'n':
        return number(text);
      case 't':
        return time(text);
      case 'r':
        return positive(parse_ratio(text, "ratio"));
      case 'a':
        return positive(parse_rate(text, "rate"));
      case 'b':
        return positive(parse_bandwidth(text, "bandwidth"));
      case 's':
        return sizes(text);
      default:
        parse_flag(text, "flag");
    }
  });
}
