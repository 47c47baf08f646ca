// Numbers of texts. std::from_chars of those with a point is in libc++ since version 20 only.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace arlab {

#ifdef __cpp_lib_to_chars
using std::from_chars;
#else
/// As the standard's, without "inf" and "nan".
template <class Number>
std::from_chars_result from_chars(const char* first, const char* last, Number& value) {
  if constexpr (std::is_integral_v<Number>) {
    return std::from_chars(first, last, value);
  } else {
    // Cut off what strtod reads besides: " 1", "+1", "0x1".
    std::string digits(first, last);
    digits.resize(std::min(digits.size(), digits.find_first_not_of("0123456789.-+eE")));
    char* end = nullptr;
    const auto read = static_cast<Number>(std::strtod(digits.c_str(), &end));
    if (end == digits.c_str() || digits[0] == '+') return {first, std::errc::invalid_argument};
    const char* const stop = first + (end - digits.c_str());
    if (std::isinf(read)) return {stop, std::errc::result_out_of_range};
    value = read;
    return {stop, std::errc()};
  }
}
#endif

/// Returns the number that the whole text is; nothing if it is no such number.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace arlab
