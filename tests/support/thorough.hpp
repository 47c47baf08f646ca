// thorough: which cases a long test runs. The thread sanitizer makes threads 10 to 50 times slower, and looks
// for races: there a few cases of each kind are enough. Results are checked in all cases by other builds.
#pragma once

#include <initializer_list>
#include <vector>

namespace arlab {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// Returns `all`, or `few` under the thread sanitizer.
template <class T>
std::vector<T> thorough(std::initializer_list<T> all, std::initializer_list<T> few) {
  return kThreadSanitizer ? few : all;
}

/// Whether case number `index` of a test is run: all, or every `stride`-th under the thread sanitizer.
inline bool thorough(int index, int stride) { return !kThreadSanitizer || index % stride == 0; }

}  // namespace arlab
