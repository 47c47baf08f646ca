// The stand-in's float16: conversions by arithmetic, independent of those in collectives/reduce/half.hpp.
#pragma once

#include <cmath>
#include <cstdint>

struct __half {
  std::uint16_t bits;
};

inline __half __float2half_rn(float x) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (std::isnan(x)) return {0x7fff};
  const double size = std::fabs(static_cast<double>(x));
  if (size >= 65520) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto steps =
      static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // ties to even
  return {static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + steps)};
}

inline float __half2float(__half x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 0x3ff;
  double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? HUGE_VAL : NAN;
  return static_cast<float>(x.bits >> 15 ? -size : size);
}
