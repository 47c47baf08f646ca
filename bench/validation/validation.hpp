// Validation: predicts published measurements from their calibration rows.
//
// Rows are fitted per system and kind of transport. A prediction depends on the calibration rows of
// its system, on the names and sizes of its own row, and on nothing that was measured in a row of
// split test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/validation/fit/intervals.hpp"
#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

struct PredictedRow {
  PublishedTime row;
  std::string transport = {};  ///< kind of transport that predicts it
  std::optional<double> predicted_us = {};
  PredictionInterval interval = {};  ///< with a prediction
  bool beyond_calibration = false;   ///< fewer or more nodes than any calibration row
  std::string reason = {};           ///< why it is not predicted

  /// Predicted by measured, minus 1. Only with a prediction.
  double error() const { return *predicted_us / row.median_us - 1; }
};

/// What was fitted for one system and kind of transport.
struct FittedSystem {
  struct Value {
    std::string name;
    double value = 0;
  };
  std::string system;
  std::string transport;          ///< messages, torus ports, NCCL, GPU nodes
  std::size_t rows = 0;           ///< of split calibrate
  std::size_t states = 0;         ///< jobs, each with a factor of latency and one of bandwidth
  std::vector<Value> parameters;  ///< of the system
  std::vector<std::string> notes;
  Rank least = 0, most = 0;             ///< nodes of the calibration rows
  std::string least_nodes, most_nodes;  ///< as written
  double residual_spread = 0;           ///< of what the model lacks (intervals.hpp)
};

struct Validation {
  std::vector<PredictedRow> rows;  ///< in the order of the file
  std::vector<FittedSystem> systems;
};

Validation validate(const std::vector<PublishedTime>& rows);

}  // namespace arlab::bench
