// Change points: whether the level of a series of times changed, where, and how sure that is.
//
// The place is where two constant levels leave the least squares. Few files cannot decide by ranks:
// eight of them, five and three, have p = 0.1 at best. So the logarithms are compared as such, by
// two tests that both have to agree: with the errors that the points bring, and, from six points
// on, by Student's test with their own spread around the two levels.
#pragma once

#include <cstddef>
#include <span>

namespace arlab::bench {

/// Fewest points whose spread tells how much they differ by chance.
inline constexpr std::size_t kFewestForSpread = 6;

struct LevelPoint {
  double value = 0;  ///< the logarithm of a time
  double error = 0;  ///< its standard error, at least what is to be expected of any point
};

struct ChangePoint {
  std::size_t first = 0;         ///< point of the new level; at least 1
  double before = 0, after = 0;  ///< the levels
  double p = 1;                  ///< corrected for the number of places
};

/// Returns the most likely change. Expects two points or more.
ChangePoint change_point(std::span<const LevelPoint> points);

}  // namespace arlab::bench
