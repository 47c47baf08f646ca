// Scaled signs: one bit per element, scaled by the mean magnitude: (norm1 / n) sign(x).
//
// The code is the scale, then the sign bits. A zero counts by its sign bit.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Before step `from` the code is the vector itself; `from` must be 0 if the kernels are a
/// device's.
std::unique_ptr<Compressor> scaled_signs(Count elements, SharedVectorKernels kernels,
                                         Count from = 0);
Count scaled_sign_bytes(Count elements);

}  // namespace arlab::training
