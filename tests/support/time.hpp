// Picoseconds for tests: 130_ps, ps(n).
#pragma once

#include <cstdint>

#include "algorithms/base/time.hpp"

namespace arlab {

constexpr Time ps(std::int64_t picoseconds) { return Time{picoseconds}; }
constexpr Time operator""_ps(unsigned long long picoseconds) {
  return Time{static_cast<std::int64_t>(picoseconds)};
}

}  // namespace arlab
