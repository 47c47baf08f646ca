// Context: where and how results were made: the first line of every result file.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// `command`: the command line, as given. `machine`: keys that take the place of those here, or are
/// added to them.
Json context(const std::vector<std::string>& command, const Json& machine = {});

/// Now, in UTC, such as "2026-11-21T04:00:00Z".
std::string utc_now();

/// The command line, quoted so that it can be pasted into a shell.
std::string shell_quoted(const std::vector<std::string>& command);

}  // namespace arlab::bench
