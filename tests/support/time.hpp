// Times for tests: 130_ps, ps(n), 20_ns, 3_us.
#pragma once

#include <cstdint>

#include "algorithms/base/time.hpp"

namespace arlab {

constexpr Time ps(std::int64_t picoseconds) { return Time{picoseconds}; }
constexpr Time operator""_ps(unsigned long long picoseconds) {
  return Time{static_cast<std::int64_t>(picoseconds)};
}
constexpr Time operator""_ns(unsigned long long nanoseconds) {
  return static_cast<std::int64_t>(nanoseconds) * kNanosecond;
}
constexpr Time operator""_us(unsigned long long microseconds) {
  return static_cast<std::int64_t>(microseconds) * kMicrosecond;
}

}  // namespace arlab
