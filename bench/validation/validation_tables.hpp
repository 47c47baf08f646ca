// Prints a validation as tables, and gives its rows as records.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/validation/validation.hpp"

namespace arlab::bench {

/// Returns errors by system and by algorithm, what was fitted, and what was left out.
std::string validation_tables(const Validation& validation);
/// Returns the rows of split test whose error is above `least`, worst first.
std::string miss_table(const Validation& validation, double least);
/// Returns the fitted numbers of each system.
std::string parameter_table(const Validation& validation);

Json to_json(const PredictedRow& row);

}  // namespace arlab::bench
