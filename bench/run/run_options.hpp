// The options of `arlab run` that say how to measure.
#pragma once

#include <vector>

#include "bench/run/run_plan.hpp"

namespace arlab::bench {

/// Adds the backend, and how long, how often, and in which modes it is measured.
void add_run_options(CLI::App& app, RunCommand& command);

/// Returns each configuration in every mode that was asked for. Throws Error(usage) that names a
/// bad value.
std::vector<Config> in_all_modes(const RunCommand& command, const std::vector<Config>& configs);

}  // namespace arlab::bench
