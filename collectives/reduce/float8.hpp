// The two 8-bit floating-point types, and their conversions from and to float.
//
// Those of the Open Compute Project's OFP8 specification, 2023: float8_e4m3 (4 significant bits, up
// to 448) has no infinities, and one NaN of each sign; float8_e5m2 (3 significant bits, up to
// 57344) is the upper half of a float16. From float they round to the nearest, ties to even, and
// saturate: what is beyond the greatest number, infinity too, becomes the greatest, and every NaN
// becomes 0x7f. That is CUDA's conversion (__NV_SATFINITE of cuda_fp8.h, cvt.rn.satfinite of its
// processors), bit for bit; NCCL's reductions end with it. Arithmetic is done in float and rounded
// once, as in half.hpp. Without branches, so that compilers vectorize them; one source for CPUs and
// GPUs older than Ada and Hopper, whose instructions the newer ones have.
#pragma once

#include <cstdint>

#include "collectives/reduce/always_inline.hpp"

namespace arlab::collectives {

struct Float8E4m3 {
  std::uint8_t bits = 0;
  static constexpr unsigned kFractionBits = 3, kBias = 7;
  static constexpr std::uint8_t kGreatest = 0x7e, kNaN = 0x7f;  ///< the greatest number
};

struct Float8E5m2 {
  std::uint8_t bits = 0;
  static constexpr unsigned kFractionBits = 2, kBias = 15;
  static constexpr std::uint8_t kGreatest = 0x7b, kNaN = 0x7f;
};

/// The value, which float holds exactly; for both types.
template <class T>
ARLAB_INLINE float float8_value(T x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  std::uint32_t halves = x.bits << 8;  // a float8_e5m2 is the upper half of a float16
  if constexpr (T::kBias == Float8E4m3::kBias)
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(std::uint16_t{x.bits}));
  float value = 0;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<std::uint16_t>(halves)));
  return value;
#else
  constexpr std::uint32_t kRebias = (127 - T::kBias) << 23, kNormal = 1u << 23;
  const std::uint32_t code = x.bits & 0x7fu;
  const std::uint32_t shifted = code << (23 - T::kFractionBits);
  const std::uint32_t special = code > T::kGreatest ? 0x7f800000u : 0u;  // infinity, NaN
  const std::uint32_t normal = (shifted + kRebias) | special;
  // smallest normal x (1 + fraction) - smallest normal
  const float subnormal = __builtin_bit_cast(float, shifted + kRebias + kNormal) -
                          __builtin_bit_cast(float, kRebias + kNormal);
  const std::uint32_t magnitude =
      shifted < kNormal ? __builtin_bit_cast(std::uint32_t, subnormal) : normal;
  return __builtin_bit_cast(float, magnitude | (x.bits & 0x80u) << 24);
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
/// Two at once, by one instruction; the first is the lower byte.
template <class T>
__device__ inline std::uint16_t to_float8_pair(float low, float high) {
  std::uint16_t pair = 0;
  if constexpr (T::kBias == Float8E4m3::kBias)
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  else
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
}
#endif

template <class T>
ARLAB_INLINE T to_float8(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  return {static_cast<std::uint8_t>(to_float8_pair<T>(x, 0.0F))};
#else
  constexpr unsigned kShift = 23 - T::kFractionBits;
  constexpr std::uint32_t kRebias = (127 - T::kBias) << 23;
  constexpr std::uint32_t kAlign = (127 + 1 - T::kBias + kShift) << 23;
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  const std::uint32_t odd = magnitude >> kShift & 1u;
  const std::uint32_t normal = (magnitude - kRebias + ((1u << (kShift - 1)) - 1) + odd) >> kShift;
  // Adding a power of two shifts a subnormal's fraction to the bottom, and rounds it as floats
  // round.
  const float aligned = __builtin_bit_cast(float, magnitude) + __builtin_bit_cast(float, kAlign);
  const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, aligned) - kAlign;
  const std::uint32_t rounded = magnitude < kRebias + (1u << 23) ? subnormal : normal;
  const std::uint32_t finite = rounded < T::kGreatest ? rounded : std::uint32_t{T::kGreatest};
  const std::uint32_t result = magnitude > 0x7f800000u ? std::uint32_t{T::kNaN} : sign | finite;
  return {static_cast<std::uint8_t>(result)};
#endif
}

ARLAB_INLINE float to_float(Float8E4m3 x) { return float8_value(x); }
ARLAB_INLINE float to_float(Float8E5m2 x) { return float8_value(x); }

}  // namespace arlab::collectives
