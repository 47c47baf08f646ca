// Published gains: scaling efficiencies and speedups that papers state, beside predictions from the
// inputs that they state. Nothing is fitted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/validation/training_prediction.hpp"

namespace arlab::bench {

struct PublishedGain {
  std::string source = {}, model = {}, method = {};
  std::string baseline = {};  ///< empty: the value is the speed of a GPU as a part of a lone one's
  Rank gpus = 1, gpus_per_node = 1;
  double batch_per_gpu = 1;
  double one_gpu_samples_per_s = 0;
  double least_gbit_per_s = 0;  ///< not 0: the value is the largest gain from here to gbit_per_s
  double gbit_per_s = 1;        ///< of a node
  /// Of an allreduce of all GPUs, as the source measured it; ns_per_byte is 0 if it did not.
  double startup_us = 0, ns_per_byte = 0;
  double value = 0;  ///< an efficiency, or method by baseline, minus 1
};

/// Reads published_gains.csv. Throws Error(usage) that names the line, the value, and the remedy.
std::vector<PublishedGain> read_published_gains(std::string_view text, const std::string& name);

struct PredictedGain {
  PublishedGain row;
  std::optional<double> predicted;
  double at_gbit_per_s = 0;  ///< where it is largest
  std::string reason;        ///< why it is not predicted

  /// Predicted less published, in points.
  double error() const { return *predicted - row.value; }
};

std::vector<PredictedGain> predict_gains(const std::vector<PublishedGain>& rows,
                                         const FindProfile& find);

std::string gain_table(const std::vector<PredictedGain>& rows);
Json to_json(const PredictedGain& row, const std::string& file);

}  // namespace arlab::bench
