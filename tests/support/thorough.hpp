// thorough: which cases a long test runs. Sanitizers make tests 3 to 50 times slower, and look for
// errors that show in a few cases of each kind; all cases run in other builds (`ctest --preset
// release`).
#pragma once

#include <initializer_list>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#ifdef ARLAB_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns `all`; under the thread sanitizer, the slowest, `few`.
template <class T>
std::vector<T> thorough(std::initializer_list<T> all, std::initializer_list<T> few) {
  return kThreadSanitizer ? few : all;
}

/// Returns `all`; under any sanitizer, `few`.
template <class T>
std::vector<T> unless_sanitized(std::initializer_list<T> all, std::initializer_list<T> few) {
  return kSanitized ? few : all;
}

/// Whether case number `index` of a test is run: all, or every `stride`-th under the thread
/// sanitizer.
inline bool thorough(int index, int stride) { return !kThreadSanitizer || index % stride == 0; }

/// Returns 1 to `most`; under any sanitizer, 1 to 13 and above that powers of two and three and
/// their neighbors, up to 33: most tests take time with the square of the ranks.
inline std::vector<Rank> ranks_up_to(Rank most) {
  std::vector<Rank> chosen;
  for (Rank p = 1; p <= most; ++p) {
    bool near_power = false;
    for (const Rank base : {2, 3})
      for (Rank power = base; power <= most + 1; power *= base)
        near_power = near_power || (p >= power - 1 && p <= power + 1);
    if (!kSanitized || p <= 13 || (near_power && p <= 33)) chosen.push_back(p);
  }
  return chosen;
}

}  // namespace arlab
