// Scaled signs: a bit an element, and the mean magnitude for all: (norm1 / n) sign(x).
//
// The code is the scale, then the sign bits. 0 counts as its sign bit says.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Before step `from` the code is the vector itself.
std::unique_ptr<Compressor> scaled_signs(Count elements, Count from = 0);
Count scaled_sign_bytes(Count elements);

}  // namespace arlab::training
