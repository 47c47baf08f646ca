// Prints predictions of training speeds as tables, and gives them as records.
#pragma once

#include <string>

#include "bench/results/record.hpp"
#include "bench/validation/training_prediction.hpp"

namespace arlab::bench {

/// Returns errors by model, network and method, the pairs of methods that are ordered right, and
/// what was left out.
std::string training_tables(const TrainingValidation& validation);
/// Returns the rows of split test whose error is above `least`, worst first.
std::string training_misses(const TrainingValidation& validation, double least);
std::string training_parameters(const TrainingValidation& validation);

Json to_json(const PredictedTraining& row, const std::string& file);

}  // namespace arlab::bench
