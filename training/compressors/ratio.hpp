// k of n: the number of elements that a sparsifier sends.
#pragma once

#include <algorithm>
#include <cmath>

#include "training/compressors/codes.hpp"

namespace arlab::training {

inline constexpr Parameter kRatio{
    "ratio", Parameter::Unit::number, "0.01", "part of the elements sent", 1e-9, 1};
inline constexpr Parameter kK{"k", Parameter::Unit::count, "0", "elements sent; 0: by ratio", 0,
                              4e9};

/// Returns ceil(ratio n), at least 1 if n > 0. 0.1 of 30 is 3, although 0.1 is not an exact double.
inline Count part_of(double ratio, Count n) {
  return std::min(n, static_cast<Count>(std::ceil(ratio * static_cast<double>(n) * (1 - 1e-12))));
}

/// Returns k if it is set, else the ratio's part of n; at most n.
inline Count chosen_k(const CompressorChoice& choice, Count n) {
  const Count k = whole(choice, "k");
  return k > 0 ? std::min(k, n) : part_of(value(choice, "ratio"), n);
}

/// Returns k / n; 0 of no elements.
inline double selected_part(Count k, Count n) {
  return n > 0 ? static_cast<double>(k) / static_cast<double>(n) : 0;
}

}  // namespace arlab::training
