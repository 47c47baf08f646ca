// Drift: the random delays of ranks before their rounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/base/random.hpp"
#include "algorithms/base/time.hpp"

namespace arlab::simulator {

class Drift {
 public:
  explicit Drift(std::uint64_t seed) : random_(seed) {}

  /// Draws a delay, exponentially distributed with this mean in picoseconds; 0 for a mean of 0.
  Time draw(double mean) {
    if (mean <= 0) return {};
    constexpr double kScale = 1.0 / 18446744073709551616.0;  // 2^-64
    const double uniform = (static_cast<double>(random_(drawn_++)) + 0.5) * kScale;
    return to_time(-mean * std::log(std::min(uniform, 1.0)));
  }

 private:
  Random random_;
  std::uint64_t drawn_ = 0;
};

}  // namespace arlab::simulator
