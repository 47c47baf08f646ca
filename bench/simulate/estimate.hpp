// What a simulation needs, and how long the simulated algorithm takes at least, from closed forms.
#pragma once

#include <string>

#include "bench/simulate/command.hpp"

namespace arlab::bench {

/// Returns the part of the ranks that are simulated, because the others behave like them.
double simulated_part(const SimulateCommand& command, const Config& config);

/// Returns why a configuration of too many messages is skipped whose ranks do not stand for others.
std::string needs_all_ranks(const SimulateCommand& command, const Record& record);

/// Returns a time that the configuration takes at least: 0 where links are shared.
Time lower_bound(const SimulateCommand& command, const Config& config);

/// Returns what the simulation needs. `record`: planned.
Estimate estimate(SimulateCommand& command, const Config& config, const Record& record);

}  // namespace arlab::bench
