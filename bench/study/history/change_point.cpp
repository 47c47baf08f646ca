#include "bench/study/history/change_point.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "bench/study/student.hpp"

namespace arlab::bench {
namespace {

constexpr double kRounding = 1e-12;  // of logarithms of equal times

struct Level {
  double mean = 0, squares = 0;  // squares: of the distances from the mean
  double variance = 0;           // of the mean, by the points' errors
};

Level level_of(std::span<const LevelPoint> points) {
  Level level;
  const auto n = static_cast<double>(points.size());
  for (const LevelPoint& p : points) level.mean += p.value / n;
  for (const LevelPoint& p : points) {
    level.squares += (p.value - level.mean) * (p.value - level.mean);
    level.variance += p.error * p.error / (n * n);
  }
  return level;
}

double p_of(double distance, double error, double freedom) {
  return error > kRounding ? student_p(distance / error, freedom) : 0;
}

double p_between(std::span<const LevelPoint> points, std::size_t first, const Level& before,
                 const Level& after) {
  const double distance = std::abs(after.mean - before.mean);
  if (distance <= kRounding) return 1;
  const double p = p_of(distance, std::sqrt(before.variance + after.variance), INFINITY);
  if (points.size() < kFewestForSpread) return p;
  const auto n = static_cast<double>(points.size()), k = static_cast<double>(first);
  const double deviation = std::sqrt((before.squares + after.squares) / (n - 2));
  return std::max(p, p_of(distance, deviation * std::sqrt(1 / k + 1 / (n - k)), n - 2));
}

}  // namespace

ChangePoint change_point(std::span<const LevelPoint> points) {
  expects(points.size() >= 2, "a change needs two points");
  ChangePoint best;
  double least = INFINITY;
  for (std::size_t first = 1; first < points.size(); ++first) {
    const Level before = level_of(points.first(first)), after = level_of(points.subspan(first));
    const double squares = before.squares + after.squares;
    if (squares >= least) continue;
    least = squares;
    best = {first, before.mean, after.mean, p_between(points, first, before, after)};
  }
  best.p = std::min(1.0, best.p * static_cast<double>(points.size() - 1));
  return best;
}

}  // namespace arlab::bench
