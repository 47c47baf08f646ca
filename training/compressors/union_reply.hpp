// Elements above a magnitude, by position; above 0 it is exact: what a server answers to sparse
// codes, the union of their elements.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"

namespace arlab {

std::unique_ptr<Compressor> magnitudes_above(float tau);

inline std::unique_ptr<Compressor> union_reply(const Layout&, const CompressorChoice&) {
  return magnitudes_above(0);
}

}  // namespace arlab
