// arlab train --tune: searches settings of the gradient exchange in simulation, and trains with the
// best ones until the validation data reach an accuracy.
#pragma once

#include <vector>

#include "bench/measure/job.hpp"
#include "bench/training/train/options/options.hpp"
#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// `configs`: the runs of the command line, which differ only in what is tuned. Returns the exit
/// code. Throws Error(usage) if they differ in more, and Error(check) if no setting reaches the
/// accuracy.
int tune(const TrainOptions& options, Job& job, const collectives::Backend& backend,
         const std::vector<TrainConfig>& configs);

}  // namespace arlab::bench
