// same_rate: whether two rates differ by rounding only.
#pragma once

#include <algorithm>
#include <cmath>

namespace arlab::simulator {

inline bool same_rate(double a, double b) {
  constexpr double kRounding = 1e-12;
  return a == b || std::abs(a - b) <= kRounding * std::min(a, b);  // one may be infinite
}

}  // namespace arlab::simulator
