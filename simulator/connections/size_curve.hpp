// SizeCurve: a time by size, measured at some sizes and linear in between.
//
// Below the first size the time is that of the first size. Beyond the last one it grows in
// proportion with the size.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::simulator {

struct SizeCurve {
  struct Point {
    double bytes = 0;
    double time = 0;  ///< picoseconds
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;  ///< sizes ascend; empty: the time is 0

  double at(double bytes) const {
    if (points.empty()) return 0;
    if (bytes <= points.front().bytes) return points.front().time;
    const Point& last = points.back();
    if (bytes >= last.bytes) return last.time * bytes / last.bytes;
    const auto next = std::upper_bound(points.begin(), points.end(), bytes,
                                       [](double b, const Point& p) { return b < p.bytes; });
    const Point &above = *next, &below = *std::prev(next);
    return below.time +
           (above.time - below.time) * (bytes - below.bytes) / (above.bytes - below.bytes);
  }
  bool operator==(const SizeCurve&) const = default;
};

}  // namespace arlab::simulator
