// Messages on stderr, which never fail: a closed or full stderr does not end a command.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace arlab::bench {

/// Prints to stderr, as fmt::print does.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace arlab::bench
