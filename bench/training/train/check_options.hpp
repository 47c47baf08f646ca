// Checks of train's options: every value, also of options that are not used, and that every option
// that is given has an effect on at least one of the runs.
#pragma once

#include <string>
#include <vector>

#include "bench/training/train/options/options.hpp"
#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// Throws Error(usage) that names the bad value.
void check_values(const TrainOptions& options);

/// Throws Error(usage) that names the first option without an effect, and what it needs.
void check_effects(const TrainOptions& options, const std::vector<TrainConfig>& configs);

/// Returns a note about options that are given, but of no use to a single worker; empty if there
/// are none.
std::string note_on_single_worker(const TrainOptions& options,
                                  const std::vector<TrainConfig>& configs);

}  // namespace arlab::bench
