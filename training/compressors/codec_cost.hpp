// CodecCost: what making codes and reading them takes, for training in virtual time.
#pragma once

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Seconds that it takes to make a code of an element, all passes together, and to add an element
/// of a code to a vector.
struct CodecCost {
  double encode = 0, decode = 0;
};

/// Measured here, on a vector of so many elements (at least 1) that come from a normal
/// distribution: the medians of a few.
CodecCost measured_codec_cost(const CompressorChoice& choice, Count elements);

}  // namespace arlab::training
