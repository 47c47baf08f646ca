// has_root: whether a collective, as an algorithm does it, depends on the root.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab {

/// Returns whether another root than rank 0 would change what rank 0 does in its first 64 rounds,
/// or which rank has the result. An algorithm that cannot solve the problem has none.
bool has_root(const Algorithm& algorithm, const Problem& problem);

}  // namespace arlab
