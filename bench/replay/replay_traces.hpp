// Replays the GOAL traces of a command line on the network models.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/model_options.hpp"

namespace arlab::bench {

/// Returns the paths of the traces, if the words name traces: "file:PATH.goal". Throws Error(usage) if
/// others are among them.
std::vector<std::string> trace_paths(const std::vector<std::string>& words);

/// Returns a table with a row per trace and network. Throws Error(usage) for a trace that is wrong.
std::string replay_traces(const std::vector<std::string>& paths, const ModelOptions& model);

}  // namespace arlab::bench
