// Training rows: published training speeds, one row per configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

struct TrainingRow {
  std::string network = {};  ///< as written; of training_scaling.csv: the organization and its node
  std::string model = {};    ///< as written
  std::string method = {};   ///< as written, such as "MG-WFBP"; empty in training_scaling.csv
  Rank gpus = 1;
  double batch_per_gpu = 1;
  double one_gpu_samples_per_s = 0;  ///< 0: not measured
  double samples_per_s = 0;
  Split split = Split::test;

  double step_us() const { return 1e6 * batch_per_gpu * gpus / samples_per_s; }
};

/// Reads training_schedules.csv. Throws Error(usage) that names the line, the value, and the
/// remedy.
std::vector<TrainingRow> read_training_schedules(std::string_view text, const std::string& name);
/// Reads training_scaling.csv, in the same way.
std::vector<TrainingRow> read_training_scaling(std::string_view text, const std::string& name);

}  // namespace arlab::bench
