// concat: builds a text from strings and numbers.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

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

}  // namespace arlab
