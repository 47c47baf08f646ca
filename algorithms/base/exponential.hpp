// Exponential: random numbers of an exponential distribution, the logarithms of uniform ones.
//
// In integers only: the logarithms of C libraries differ in their last bits, and compilers may fuse
// operations of real numbers, but a simulated time is the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "algorithms/base/time.hpp"

namespace arlab {

/// Logarithms are in units of 2^-kLogarithmBits.
inline constexpr int kLogarithmBits = 57;

namespace logarithm {

constexpr std::uint64_t kParts = 128;  // of the numbers from 1/2 to 1
constexpr int kBits = 62;              // of factors, in units of 2^-kBits

constexpr std::int64_t high(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<__int128>(a) * b >> 64);
}

// Returns -ln(n / d), for n from d / 2 to d, as 2 artanh((d - n) / (d + n)).
constexpr std::int64_t minus_log(std::int64_t n, std::int64_t d) {
  const __int128 z = (static_cast<__int128>(d - n) << kBits) / (d + n);
  __int128 sum = 0, power = z;
  for (int k = 1; power > 0; k += 2, power = (power * z >> kBits) * z >> kBits) sum += power / k;
  constexpr int kShift = kBits - 1 - kLogarithmBits;
  return static_cast<std::int64_t>((sum + (1 << (kShift - 1))) >> kShift);
}

struct Part {  // of its middle
  std::int64_t inverse = 0, minus_log = 0;
};

inline constexpr std::array<Part, kParts> kPart = [] {
  std::array<Part, kParts> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    const auto n = static_cast<std::int64_t>(2 * (kParts + i) + 1), d = std::int64_t{4 * kParts};
    parts[i] = {static_cast<std::int64_t>((static_cast<__int128>(d) << kBits) / n),
                minus_log(n, d)};
  }
  return parts;
}();
inline constexpr std::int64_t kLog2 = minus_log(1, 2);

// Returns ln(1 + t), for t in units of 2^-70 and up to 2^-8: six terms of its series.
constexpr std::int64_t log1p(std::int64_t t) {
  constexpr std::int64_t kOne = std::int64_t{1} << kBits;
  std::int64_t sum = -kOne / 6;
  sum = kOne / 5 + (high(t, sum) >> 6);
  sum = -kOne / 4 + (high(t, sum) >> 6);
  sum = kOne / 3 + (high(t, sum) >> 6);
  sum = -kOne / 2 + (high(t, sum) >> 6);
  sum = kOne + (high(t, sum) >> 6);
  return high(t, sum) >> (kBits + 70 - kLogarithmBits - 64);
}

}  // namespace logarithm

/// Returns -ln((bits | 1) / 2^64), 0 to 44.4, in units of 2^-kLogarithmBits. Errors are below
/// 2^-51.
constexpr std::int64_t minus_log(std::uint64_t bits) {
  using namespace logarithm;
  const int zeros = std::countl_zero(bits | 1);
  const std::uint64_t digits = (bits | 1) << zeros;  // a number from 1/2 to 1
  const Part& part = kPart[digits >> 56 & (kParts - 1)];
  const auto beyond = static_cast<std::int64_t>(digits << 8 ^ std::uint64_t{1} << 63);
  const std::int64_t rest = log1p(high(beyond, part.inverse));
  return std::max<std::int64_t>(0, zeros * kLog2 + part.minus_log - rest);
}

/// Returns a time of this mean, not below 0, from random bits. Throws as to_time() does.
inline Time exponential_time(Time mean, std::uint64_t bits) {
  const __int128 time = (static_cast<__int128>(mean.count()) * minus_log(bits) +
                         (std::int64_t{1} << (kLogarithmBits - 1))) >>
                        kLogarithmBits;
  if (time > kLongest.count()) fail_step();
  return Time{static_cast<std::int64_t>(time)};
}

}  // namespace arlab
