// The first half of an exchange whose codes are encoded again (Aggregation::requantize): in each of
// P - 1 rounds a rank sends the code of one chunk straight to its owner, whatever the algorithm of
// the second half.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab::training {

/// Returns it as a reduce-scatter whose elements are the bytes of the codes of all chunks. Nothing
/// is added on the way: owners decode.
const Algorithm& to_owners();

}  // namespace arlab::training
