// How a tensor of a profile is encoded, in simulations and replays.
#pragma once

#include "training/compressors/compressor.hpp"
#include "training/schedulers/profile.hpp"

namespace arlab::training {

/// Returns the elements in so many words of kGradientBytes. A tensor whose last word is not full
/// counts with the elements that would fill it.
inline Count elements_in(Count words, Bytes element_size) {
  return words * kGradientBytes / element_size;
}

/// Returns the shape of a tensor, which profiles do not have. If the compressor works on matrices:
/// that nearest to a square, at most one row larger than the tensor; else a vector.
Matrix shape_of(Count elements, const CompressorKind& kind);

}  // namespace arlab::training
