// One configuration of `arlab simulate`.
#pragma once

#include "bench/simulate/command.hpp"

namespace arlab::bench {

/// Simulates the configuration, and fills in its record.
void evaluate(SimulateCommand& command, const Config& config, Record& record);

}  // namespace arlab::bench
