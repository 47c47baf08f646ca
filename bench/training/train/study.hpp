// Summaries of emulated training runs, which a compression study compares.
#pragma once

#include <vector>

#include "bench/study/compression_study.hpp"
#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// Expects runs on backend virtual.
std::vector<RunSummary> summaries_of(const std::vector<TrainResult>& results);

}  // namespace arlab::bench
