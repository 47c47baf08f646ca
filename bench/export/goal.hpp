// Writes a schedule as a GOAL trace, the text form that LogGOPSim's converter reads.
#pragma once

#include <string>

#include "bench/cli/options.hpp"

namespace arlab::bench {

/// Returns the trace. A round is its sends and receives, and a `calc 0` that waits for all of them and
/// that the next round requires. Lanes are independent, and differ in their tags. Reductions take no
/// time.
std::string goal_trace(const Config& config);

}  // namespace arlab::bench
