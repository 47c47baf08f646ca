// A study: runs on virtual ranks, as trials that a verdict compares.
#pragma once

#include <vector>

#include "bench/study/verdict.hpp"
#include "bench/train/run.hpp"

namespace arlab::bench {

/// Of runs with backend virtual.
std::vector<Trial> trials_of(const std::vector<TrainResult>& results);

}  // namespace arlab::bench
