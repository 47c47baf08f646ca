// differences: where two vectors differ, in a line: a failing check that prints both whole takes
// minutes and says nothing.
#pragma once

#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace arlab::collectives {

/// Such as "2 of 1000 differ, the first at 17: 0.5 instead of 0.25"; empty if they are equal.
template <class T>
std::string differences(const std::vector<T>& got, const std::vector<T>& right) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  if (got.size() != right.size()) {
    text << got.size() << " instead of " << right.size() << " elements";
    return text.str();
  }
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == right[i]) && count++ == 0) first = i;
  if (count == 0) return "";
  const auto number = [](T value) {
    if constexpr (std::is_same_v<T, std::byte>)
      return std::to_integer<int>(value);
    else
      return +value;  // bytes as numbers, too
  };
  text << count << " of " << got.size() << " differ, the first at " << first << ": "
       << number(got[first]) << " instead of " << number(right[first]);
  return text.str();
}

}  // namespace arlab::collectives
