// What is printed for people. Texts among the values show their control characters (printable.hpp),
// so that no name of a file or a record rewrites the terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "algorithms/base/printable.hpp"

namespace arlab::bench {

/// Values of several lines: a table or an explanation, whose newlines stay, and a message, of which
/// those before indented lines stay.
struct Lines {
  std::string_view text;
};
struct Message {
  std::string_view text;
};

template <class Value>
decltype(auto) shown_value(const Value& value) {
  if constexpr (std::is_same_v<Value, Lines>)
    return printable_lines(value.text);
  else if constexpr (std::is_same_v<Value, Message>)
    return printable_message(value.text);
  else if constexpr (std::is_convertible_v<const Value&, std::string_view>)
    return printable(value);
  else
    return (value);
}

template <class Value>
using Shown = std::remove_cvref_t<decltype(shown_value(std::declval<const Value&>()))>;

template <class... Values>
std::string formatted(fmt::string_view format, const Values&... values) {
  return fmt::vformat(format, fmt::make_format_args(values...));
}

/// Prints to stderr. This never fails: a closed or full stderr does not end a command.
template <class... Values>
void say(fmt::format_string<Shown<Values>...> format, const Values&... values) {
  std::fputs(formatted(format, shown_value(values)...).c_str(), stderr);
}

/// Prints to stdout, as fmt::print does.
template <class... Values>
void print(fmt::format_string<Shown<Values>...> format, const Values&... values) {
  fmt::print("{}", formatted(format, shown_value(values)...));
}

}  // namespace arlab::bench
