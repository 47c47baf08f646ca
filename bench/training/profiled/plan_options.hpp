// The options of `plan`.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_options.hpp"

namespace arlab::bench {

struct PlanOptions : ScaleOptions {
  std::string trace;
  bool breakdown = false;

  void add(CLI::App& app);
  /// Completes what was parsed. Throws Error(usage) for an option that changes nothing.
  void complete_plan();
  std::vector<Rank> chosen_workers() const;
  /// Returns the profiles of all models, each on all GPUs. Throws Error(usage) for two of one name
  /// and device.
  std::vector<training::ModelProfile> profiles() const;
};

}  // namespace arlab::bench
