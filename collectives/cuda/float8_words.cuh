// Reductions of 8-bit floats, four in a word, by the instructions of Ada, Hopper, and later GPUs:
// the bits of float8.hpp and extremes.hpp. A float8_e5m2 is the upper half of a float16.
#pragma once

#include <cstdint>
#include <type_traits>

#include "collectives/cuda/packs.cuh"

namespace arlab::collectives::cuda {

template <class T>
inline constexpr bool kIsE4m3 = std::is_same_v<T, Float8E4m3>;
template <class T>
inline constexpr bool is_float8 = kIsE4m3<T> || std::is_same_v<T, Float8E5m2>;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890

/// Two float16 from the lower, or the upper, two elements of a word.
template <class T>
__device__ std::uint32_t to_halves(std::uint32_t word, bool upper) {
  std::uint32_t halves = 0;
  if constexpr (kIsE4m3<T>)
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
        : "=r"(halves)
        : "h"(static_cast<std::uint16_t>(upper ? word >> 16 : word)));
  else
    halves = __byte_perm(word, 0, upper ? 0x3424 : 0x1404);
  return halves;
}

/// A step on four sums or products, each computed in float and rounded once.
template <class T, class Step>
__device__ std::uint32_t float8_arithmetic(std::uint32_t a, std::uint32_t b) {
  std::uint32_t pairs[2] = {};
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const auto x = __half22float2(__builtin_bit_cast(__half2_raw, to_halves<T>(a, pair == 1)));
    const auto y = __half22float2(__builtin_bit_cast(__half2_raw, to_halves<T>(b, pair == 1)));
    pairs[pair] = to_float8_pair<T>(Step{}(x.x, y.x), Step{}(x.y, y.y));
  }
  return pairs[0] | pairs[1] << 16;
}

/// Four minima or maxima. Those of PTX give the canonical NaN, and order zeros by their signs.
template <class T, bool kMin>
__device__ std::uint32_t float8_extremes(std::uint32_t a, std::uint32_t b) {
  std::uint32_t pairs[2] = {};
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const std::uint32_t x = to_halves<T>(a, pair == 1), y = to_halves<T>(b, pair == 1);
    if constexpr (kMin)
      asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(pairs[pair]) : "r"(x), "r"(y));
    else
      asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(pairs[pair]) : "r"(x), "r"(y));
    if constexpr (kIsE4m3<T>) {
      std::uint16_t both = 0;
      asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(both) : "r"(pairs[pair]));
      pairs[pair] = both;
    }
  }
  if constexpr (!kIsE4m3<T>) return __byte_perm(pairs[0], pairs[1], 0x7531);
  return pairs[0] | pairs[1] << 16;
}

#endif

}  // namespace arlab::collectives::cuda
