// Context: the first line of every result file: which program ran where, and by which command.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// `command`: the command line, as given. `machine`: keys to add or to replace.
Json context(const std::vector<std::string>& command, const Json& machine = {});

/// Returns the current time in UTC, such as "2026-11-21T04:00:00Z".
std::string utc_now();

/// Returns the command line, quoted for a shell.
std::string shell_quoted(const std::vector<std::string>& command);

}  // namespace arlab::bench
