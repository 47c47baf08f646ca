// all_reduce_perf and its siblings: the programs of nccl-tests, on every backend and on simulated
// clusters. They are links to arlab, which reads its own name.
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

/// Returns whether a program of this path is one of them.
bool is_perf_program(const std::string& path);

/// Runs it. Returns the exit status: 1 if a result was wrong, or the mean bandwidth below nine
/// tenths of what NCCL_TESTS_MIN_BW demands.
int run_perf(const std::vector<std::string>& words);

}  // namespace arlab::bench
