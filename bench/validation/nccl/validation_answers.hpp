// What a validation answers: how far off predictions are, over all rows that were only predicted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/validation/nccl/validation.hpp"
#include "bench/validation/training_prediction.hpp"
#include "bench/validation/validation.hpp"

namespace arlab::bench {

/// Returns a sentence for each kind of rows that has predictions.
std::vector<std::string> sentences(const std::optional<Validation>& times,
                                   const std::vector<TrainingValidation>& training,
                                   const std::optional<NcclValidation>& nccl);

}  // namespace arlab::bench
