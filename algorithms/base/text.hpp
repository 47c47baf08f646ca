// Texts: built from strings and numbers, in lower case, and line by line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace arlab {

/// Returns the parts one after another: concat("rank ", 3, ": ", name).
/// Integers are written in full; print other numbers with show_number (quantities.hpp).
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string all;
  [[maybe_unused]] const auto append = [&all](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_same_v<Part, char>) {
      all += part;
    } else if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
      all += std::string_view(part);
    } else {
      static_assert(std::is_integral_v<Part>, "a string or an integer");
      all += std::to_string(part);
    }
  };
  (append(parts), ...);
  return all;
}

/// Returns the text with small letters instead of A to Z.
inline std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return all;
}

/// Returns the lines without their ends; the last one may lack an end.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace arlab
