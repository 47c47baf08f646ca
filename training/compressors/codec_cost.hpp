// CodecCost: the time to encode and decode gradients, for training in simulated time.
#pragma once

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Seconds per element: to encode it, all passes together, and to add it from a code to a vector.
struct CodecCost {
  double encode = 0, decode = 0;
};

/// Measures the cost here, as the median of a few runs, on a vector of the given number of
/// normally distributed elements (at least 1).
CodecCost measured_codec_cost(const CompressorChoice& choice, Count elements);

}  // namespace arlab::training
