// The stand-in's bfloat16: conversions by arithmetic, independent of those in collectives/reduce/half.hpp.
#pragma once

#include <cmath>
#include <cstdint>

struct __nv_bfloat16 {
  std::uint16_t bits;
};

inline float __bfloat162float(__nv_bfloat16 x) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16);
}

inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  if (std::isnan(x)) return {0x7fff};
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const __nv_bfloat16 below{static_cast<std::uint16_t>(bits >> 16)};  // towards zero, or infinity
  const __nv_bfloat16 above{static_cast<std::uint16_t>(below.bits + 1)};
  const std::uint32_t rest = bits & 0xffff;
  return rest > 0x8000 || (rest == 0x8000 && below.bits % 2 == 1) ? above : below;
}
