// A number at the start of a text, as people write it: 100, 1.5, 2e3.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace arlab::simulator {

/// Reads `value` and returns what follows it; nullptr data() if there is no number at the start.
inline std::string_view read_number(std::string_view text, double& value) {
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return {};
  return {end, static_cast<std::size_t>(text.data() + text.size() - end)};
#else
  // libc++ 16 reads whole numbers only. Cut off what strtod reads besides: " 1", "+1", "0x1".
  const std::string digits(text.substr(0, text.find_first_not_of("0123456789.-+eE")));
  if (digits.empty() || digits[0] == '+' || digits[0] == 'e' || digits[0] == 'E') return {};
  char* end = nullptr;
  value = std::strtod(digits.c_str(), &end);
  if (end == digits.c_str()) return {};
  return text.substr(static_cast<std::size_t>(end - digits.c_str()));
#endif
}

}  // namespace arlab::simulator
