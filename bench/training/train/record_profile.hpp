// Records a profile of a model on this machine, for `plan` and `replay`.
#pragma once

#include "bench/training/train/options/options.hpp"
#include "training/profiles/model_profile.hpp"

namespace arlab::bench {

/// Trains one replica for a few steps of --batch samples, and returns the times of its variables.
training::ModelProfile recorded_profile(const TrainOptions& options,
                                        const training::Architecture& architecture,
                                        const Datasets& data);

}  // namespace arlab::bench
