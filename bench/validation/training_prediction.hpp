// Training prediction: predicts published training speeds from their calibration rows and the
// models' profiles, by the simulated timeline of each row's scheduler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/validation/training_rows.hpp"
#include "training/profiles/model_profile.hpp"

namespace arlab::bench {

struct PredictedTraining {
  TrainingRow row;
  std::optional<double> predicted_us;  ///< of a step
  std::string reason;                  ///< why it is not predicted

  /// Predicted by measured time, minus 1. Only with a prediction.
  double error() const { return *predicted_us / row.step_us() - 1; }
};

struct TrainingValidation {
  struct Value {
    std::string name;
    double value = 0;
  };
  std::string file;
  std::vector<PredictedTraining> rows;  ///< in the order of the file
  std::vector<Value> parameters;        ///< fitted
};

/// Returns the profile of a model as a file names it; nothing if there is none.
using FindProfile = std::function<std::optional<training::ModelProfile>(const std::string& model)>;

/// Returns the built-in profile: "ResNet-50" and "resnet" are resnet50, "bert" is bert-large.
std::optional<training::ModelProfile> built_in_profile(const std::string& model);

TrainingValidation predict_schedules(const std::vector<TrainingRow>& rows, const FindProfile& find);
TrainingValidation predict_scaling(const std::vector<TrainingRow>& rows, const FindProfile& find);

}  // namespace arlab::bench
