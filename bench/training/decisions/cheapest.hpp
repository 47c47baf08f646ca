// The plan that costs least per sample, in a sentence.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_row.hpp"

namespace arlab::bench {

/// Returns a sentence for each model of several rows: which row costs least, and what the fastest
/// costs. Without prices, of the energy.
std::vector<std::string> explain_cost(const std::vector<ScaleRow>& rows);

}  // namespace arlab::bench
