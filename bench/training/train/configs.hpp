// The runs that a command line of train asks for: every model with every number of workers,
// algorithm, scheduler, compressor, and network.
#pragma once

#include <string>
#include <vector>

#include "bench/measure/job.hpp"
#include "bench/training/train/options/options.hpp"
#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// Returns the words of --scheduler and --compressor, with all names in place of "all".
std::vector<std::string> chosen_schedulers(const TrainOptions& options);
std::vector<std::string> chosen_compressors(const TrainOptions& options);

/// Returns why one of several runs is left out: its options exclude each other. Empty if it is not.
std::string why_left_out(const TrainConfig& config);

/// Throws Error(usage) that names the bad value.
std::vector<TrainConfig> configs_of(const TrainOptions& options, const Job& job,
                                    const collectives::Backend& backend);

}  // namespace arlab::bench
