// Words and numbers of log lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arlab::bench {

/// A number as it was printed: the true one is within half a unit of its last digit.
struct Printed {
  double value = 0;
  double half = 0;
  int decimals = 0;  ///< digits after the point
  double low() const { return value - half; }
  double high() const { return value + half; }
};

/// Returns the line without what launchers and terminals add: time stamps, colors, and control
/// characters, which become spaces.
std::string without_stamps(std::string_view line);

/// Nothing unless the word is a whole number from 0 on that fits 63 bits.
std::optional<std::int64_t> whole_number(std::string_view word);

/// Nothing unless the word is a finite number.
std::optional<Printed> printed_number(std::string_view word);

/// Returns the value beside the word; nothing if the table does not have it.
template <class Value, std::size_t n>
std::optional<Value> named(const std::pair<std::string_view, Value> (&table)[n],
                           std::string_view word) {
  for (const auto& [key, value] : table)
    if (key == word) return value;
  return std::nullopt;
}

}  // namespace arlab::bench
