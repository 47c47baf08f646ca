// The plan of `arlab train`, and the checks before it.
#pragma once

#include <string>
#include <vector>

#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// Returns what --plan prints. The steps of data in files are not known before they are read.
std::string plan_text(const TrainOptions& options, const std::vector<TrainConfig>& configs);

/// Finds out before the training what would fail after it: throws Error if a file or a folder
/// cannot be written.
void check_outputs(const TrainOptions& options);

}  // namespace arlab::bench
