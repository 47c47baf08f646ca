// Writes a schedule as a GOAL trace, the text form that LogGOPSim's converter reads.
#pragma once

#include <string>

#include "bench/config/config.hpp"

namespace arlab::bench {

/// Returns the trace. The operations of a round require those of the one before, or, where those
/// are many, a `calc 0` that requires them. Lanes are independent, and differ in their tags; those
/// of several pieces have channel + channels * piece, as a comment says. Reductions take no time.
std::string goal_trace(const Config& config);

}  // namespace arlab::bench
