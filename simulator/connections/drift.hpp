// Drift: the random delays of ranks before their rounds.
#pragma once

#include <cstdint>

#include "algorithms/base/exponential.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::simulator {

class Drift {
 public:
  explicit Drift(std::uint64_t seed) : random_(seed) {}

  /// Draws a delay, exponentially distributed with this mean in picoseconds; 0 for a mean of 0.
  Time draw(double mean) {
    if (mean <= 0) return {};
    constexpr double kUnit = 1.0 / (std::int64_t{1} << kLogarithmBits);
    return to_time(mean * (static_cast<double>(minus_log(random_(drawn_++))) * kUnit));
  }

 private:
  Random random_;
  std::uint64_t drawn_ = 0;
};

}  // namespace arlab::simulator
