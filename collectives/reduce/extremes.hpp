// extreme: the minimum and maximum of IEEE 754-2019 on the bits of two numbers.
//
// A NaN on either side gives the canonical quiet NaN of the type, and -0 is less than +0. So both
// are commutative and associative: every order of ranks ends with the same bits. The common
// `b < a ? b : a` is neither. Without branches, so that compilers vectorize them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "collectives/reduce/always_inline.hpp"
#include "collectives/reduce/float8.hpp"
#include "collectives/reduce/half.hpp"

namespace arlab::collectives {

/// The bits of a floating-point type, and those of its canonical quiet NaN; of a small type, also
/// those of the greatest magnitude that is not a NaN.
template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kNaN = 0x7fc00000u;
};
template <>
struct FloatBits<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kNaN = 0x7ff8000000000000u;
};
template <>
struct FloatBits<Float16> {
  using Bits = std::uint16_t;
  static constexpr Bits kNaN = 0x7e00u, kGreatest = 0x7c00u;
};
template <>
struct FloatBits<Bfloat16> {
  using Bits = std::uint16_t;
  static constexpr Bits kNaN = 0x7fc0u, kGreatest = 0x7f80u;
};
template <>
struct FloatBits<Float8E4m3> {
  using Bits = std::uint8_t;
  static constexpr Bits kNaN = Float8E4m3::kNaN, kGreatest = 0x7eu;
};
template <>
struct FloatBits<Float8E5m2> {
  using Bits = std::uint8_t;
  static constexpr Bits kNaN = Float8E5m2::kNaN, kGreatest = 0x7cu;
};

/// Returns the bits of the minimum, or the maximum, of two numbers of type T, given as bits. Equal
/// numbers have equal bits, except zeros: those with the sign of either are `a | b`.
template <class T, bool kMin>
ARLAB_INLINE typename FloatBits<T>::Bits extreme(typename FloatBits<T>::Bits a,
                                                 typename FloatBits<T>::Bits b) {
  using Bits = typename FloatBits<T>::Bits;
  if constexpr (sizeof(T) <= 2) {
    using Key = std::make_signed_t<Bits>;
    constexpr Key kMagnitude = static_cast<Key>(static_cast<Bits>(~Bits{0}) >> 1);
    // As integers in the order of the numbers: -0 is -1, and the infinities are outermost.
    const auto key_of = [](Bits x) {
      const auto sign = static_cast<Key>(static_cast<Key>(x) >> (8 * sizeof(Bits) - 1));
      return static_cast<Key>(x ^ (sign & kMagnitude));
    };
    const Key key_a = key_of(a), key_b = key_of(b);
    const Bits number = (kMin ? key_b < key_a : key_a < key_b) ? b : a;
    constexpr Bits kGreatest = FloatBits<T>::kGreatest;
    const bool is_nan = ((a & kMagnitude) > kGreatest) | ((b & kMagnitude) > kGreatest);
    return is_nan ? FloatBits<T>::kNaN : number;
  } else {
    // Of zeros, and with a NaN, each comparison gives its last operand: the two differ.
    const T x = __builtin_bit_cast(T, a), y = __builtin_bit_cast(T, b);
    const Bits first = __builtin_bit_cast(Bits, (kMin ? y < x : x < y) ? y : x);
    const Bits second = __builtin_bit_cast(Bits, (kMin ? x < y : y < x) ? x : y);
    const Bits number = kMin ? first | second : first & second;
#ifdef __CUDACC__  // which has no such builtin on the device
    const bool is_nan = x != x || y != y;
#else
    const bool is_nan = __builtin_isunordered(x, y);
#endif
    return is_nan ? FloatBits<T>::kNaN : number;
  }
}

}  // namespace arlab::collectives
