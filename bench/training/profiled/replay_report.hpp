// The table, the sentences, and the records of replayed training.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/training/profiled/replay_run.hpp"

namespace arlab::bench {

std::string replay_table(const std::vector<ReplayResult>& results);

/// Returns sentences about the step of one run.
std::string explain_replay(const ReplayResult& result);

Json to_json(const ReplayResult& result);

}  // namespace arlab::bench
