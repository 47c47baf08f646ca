// The two 16-bit floating-point types, and their conversions from and to float.
//
// float16 is IEEE binary16 (11 significant bits), bfloat16 the upper half of a float (8 significant
// bits). Conversions round to the nearest, ties to even; NaN stays NaN, infinities and subnormals
// are exact. Arithmetic is done in float and rounded once: float has over twice the significant
// bits plus two, so +, -, * and / come out as if computed in the type itself. Without branches, so
// that compilers vectorize them. After Giesen, "half to float done quic", 2012.
//
// Always inline: some users are compiled for newer processors than the rest of the program, and the
// linker must not hand their copy to everyone.
#pragma once

#include <cstdint>

namespace arlab::collectives {

struct Float16 {
  std::uint16_t bits = 0;
};

struct Bfloat16 {
  std::uint16_t bits = 0;
};

[[gnu::always_inline]] inline float to_float(Bfloat16 x) {
  return __builtin_bit_cast(float, std::uint32_t{x.bits} << 16);
}

/// The nearest bfloat16 in the upper half of the word; the lower half is arbitrary.
[[gnu::always_inline]] inline std::uint32_t rounded_bfloat16(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return nan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
}

[[gnu::always_inline]] inline Bfloat16 to_bfloat16(float x) {
  return {static_cast<std::uint16_t>(rounded_bfloat16(x) >> 16)};
}

[[gnu::always_inline]] inline float to_float(Float16 x) {
  constexpr std::uint32_t kExponent = 0x7c00u << 13, kRebias = (127u - 15u) << 23;
  const std::uint32_t shifted = (x.bits & 0x7fffu) << 13;
  const std::uint32_t exponent = shifted & kExponent;
  const std::uint32_t special = exponent == kExponent ? kRebias : 0u;  // infinity, NaN
  const std::uint32_t normal = shifted + kRebias + special;
  // 2^-14 (1 + fraction) - 2^-14
  const float subnormal = __builtin_bit_cast(float, normal + (1u << 23)) - 0x1p-14f;
  const std::uint32_t magnitude =
      exponent == 0 ? __builtin_bit_cast(std::uint32_t, subnormal) : normal;
  return __builtin_bit_cast(float, magnitude | (x.bits & 0x8000u) << 16);
}

[[gnu::always_inline]] inline Float16 to_float16(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  const std::uint32_t odd = magnitude >> 13 & 1u;
  const std::uint32_t normal = (magnitude - ((127u - 15u) << 23) + 0xfffu + odd) >> 13;
  // Adding 1/2 shifts a subnormal's fraction to the bottom, and rounds it as floats round.
  const float aligned = __builtin_bit_cast(float, magnitude) + 0.5f;
  const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, aligned) - 0x3f000000u;
  const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const std::uint32_t beyond = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;  // NaN, infinity
  const std::uint32_t result = magnitude >= 0x47800000u ? beyond : finite;
  return {static_cast<std::uint16_t>(sign | result)};
}

}  // namespace arlab::collectives
