// Shares of ranks whose links are not equally fast.
#pragma once

#include <span>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

/// Returns the weight of each rank's share of the vector, with which all ranks are done at the same
/// time if each sends every owner its share and gets the sums back: a rank that owns x of the
/// vector sends and receives 1 + (P - 2) x. Rates are relative, and above 0. A rank of the lowest
/// rate may own nothing, and yet has to send and receive the whole vector, so that nothing is done
/// before 1 / its rate.
std::vector<Count> shares_for(std::span<const double> rates);

}  // namespace arlab
