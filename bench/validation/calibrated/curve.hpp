// Curve: a positive function of a size, given at some sizes; in between the logarithm is linear in
// the logarithm of the size, and beyond the ends it is constant.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace arlab::simulator {

class Curve {
 public:
  /// `first`: value at log2 of the size `knots[0]`; `growth`: by which factor it grows to each next
  /// knot.
  Curve(std::span<const double> knots, double first, std::span<const double> growth)
      : knots_(knots), logs_{std::log(first)} {
    for (const double factor : growth) logs_.push_back(logs_.back() + std::log(factor));
  }

  double at(double log2_size) const {
    if (log2_size <= knots_.front()) return std::exp(logs_.front());
    if (log2_size >= knots_.back()) return std::exp(logs_.back());
    std::size_t i = 1;
    while (knots_[i] < log2_size) ++i;
    const double part = (log2_size - knots_[i - 1]) / (knots_[i] - knots_[i - 1]);
    return std::exp(logs_[i - 1] + part * (logs_[i] - logs_[i - 1]));
  }

 private:
  std::span<const double> knots_;
  std::vector<double> logs_;
};

}  // namespace arlab::simulator
