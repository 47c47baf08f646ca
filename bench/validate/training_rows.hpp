// Training rows: published training speeds, which are read and checked, and not predicted yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace arlab::bench {

/// What a file of training speeds holds, and why none of it is predicted.
struct TrainingRows {
  std::string file;
  std::size_t calibrate = 0, test = 0;
  std::string reason;
};

/// Reads training_schedules.csv. Throws Error(usage) that names the line, the value, and the remedy.
TrainingRows read_training_schedules(std::string_view text, const std::string& name);
/// Reads training_scaling.csv, in the same way.
TrainingRows read_training_scaling(std::string_view text, const std::string& name);

}  // namespace arlab::bench
