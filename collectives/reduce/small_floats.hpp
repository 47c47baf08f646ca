// The floating-point types of 16 and 8 bits by one name: they are stored, and computed in float.
#pragma once

#include <type_traits>

#include "collectives/reduce/float8.hpp"
#include "collectives/reduce/half.hpp"

namespace arlab::collectives {

template <class T>
inline constexpr bool kIsFloat8 = std::is_same_v<T, Float8E4m3> || std::is_same_v<T, Float8E5m2>;
template <class T>
inline constexpr bool kIsSmallFloat =
    kIsFloat8<T> || std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

/// The nearest of a small type, as its own conversion rounds.
template <class T>
[[gnu::always_inline]] inline T from_float(float x) {
  static_assert(kIsSmallFloat<T>);
  if constexpr (kIsFloat8<T>)
    return to_float8<T>(x);
  else if constexpr (std::is_same_v<T, Float16>)
    return to_float16(x);
  else
    return to_bfloat16(x);
}

}  // namespace arlab::collectives
