// numerics: what the order of additions means for floating-point results, from the sum trees of the
// proof.
#pragma once

#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab {

struct Numerics {
  /// How rank 0, or the root, adds up the first chunk, such as "((0+1)+(2+3))"; a + b and b + a are
  /// equal.
  std::string bracketing;
  /// Whether all ranks add each chunk in the same order: then their results have the same bits.
  bool same_on_all_ranks = true;
  /// Whether each rank adds all of its chunks in one order: then the bits of an element there do
  /// not depend on its place in the vector.
  bool same_for_all_elements = true;
  /// Whether up to as many ranks more, which contribute zeros, leave all bits as they are. Always
  /// false for algorithms that need groups or a grid.
  bool same_for_more_ranks = true;
  /// The largest error of sums in float, by the exact sum of the absolute values, in units of
  /// 2^-24. The inputs are of one sign, of both signs, and of very different sizes.
  double error = 0;
};

/// Analyzes a reducing collective. Throws Error(usage) if it does not reduce, Error(check) if the
/// schedule is wrong.
Numerics numerics(const Algorithm& algorithm, const Problem& problem);

}  // namespace arlab
