// arlab compare with a base: two files, or each of several with the one that --baseline names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/study/history/compare_history.hpp"

namespace arlab::bench {

/// Returns the number of the file that the name means: its path, its name with or without folders
/// or ending, or the beginning of its commit. Throws Error(usage) that lists the files unless there
/// is exactly one.
std::size_t baseline_number(const std::vector<HistoryFile>& files, const std::string& name);

/// Prints what differs between the base and each other file, in their order, and of the last one
/// configuration by configuration. Returns the exit code: 1 if something is slower in the last one,
/// or wrong. Expects two files or more.
int compare_base(const std::vector<HistoryFile>& files, std::size_t base,
                 const HistoryCommand& command);

}  // namespace arlab::bench
