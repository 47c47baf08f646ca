// Predictions: the measured times of a result file beside those that a model predicted for them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct Prediction {
  Json record;
  double measured_us = 0, modelled_us = 0;
  double error() const { return modelled_us / measured_us - 1; }
};

/// Errors of some predictions.
struct PredictionErrors {
  std::string what;  ///< "all", or an algorithm, a size, or a number of ranks
  std::size_t rows = 0;
  double median = 0, worst = 0,
         bias = 0;  ///< parts of the measured time; bias: median with its sign
};

struct PredictionSummary {
  std::vector<Prediction> rows;          ///< the largest error first
  std::vector<PredictionErrors> errors;  ///< all, then by algorithm, size, and ranks
  /// Of the algorithms of one problem: Kendall's tau-b between predicted and measured times, mean
  /// over the problems; and the measured time of the algorithm with the least prediction by the
  /// least measured time, mean and largest.
  std::size_t problems = 0;
  double tau = 0, cost_of_choice = 1, worst_cost_of_choice = 1;
};

/// Kendall's tau-b of two rankings of the same things (Biometrika 33(3), 1945). Returns 0 if one
/// side has no differences.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// Summarizes the records that have both times: those of `arlab run --machine`.
PredictionSummary summarize_predictions(const std::vector<Json>& records);

/// Returns tables of the errors, and of that number of rows with the largest.
std::string prediction_tables(const PredictionSummary& summary, std::size_t misses);

/// Returns the same as JSON.
Json to_json(const PredictionSummary& summary);

}  // namespace arlab::bench
