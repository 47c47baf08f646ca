// What plans cost per sample, as columns, and the one that costs least, in a sentence.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_row.hpp"

namespace arlab::bench {

inline constexpr const char* kCostColumns[] = {"kWh/1M samples", "$/1M samples"};
/// Returns the cells of these columns; empty ones unless `asked`.
std::vector<std::string> cost_cells(const ScaleRow& row, bool asked);

/// Returns a sentence for each model of several rows: which row costs least, and what the fastest
/// costs. Without prices, of the energy.
std::vector<std::string> explain_cost(const std::vector<ScaleRow>& rows);

}  // namespace arlab::bench
