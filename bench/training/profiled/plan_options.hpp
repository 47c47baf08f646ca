// The options of `plan`.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_options.hpp"

namespace arlab::bench {

struct PlanOptions {
  ScaleOptions scale;
  std::vector<std::string> workers;     ///< as given; empty: 8, 64 and 512
  std::vector<std::string> algorithms;  ///< as given; empty: auto, or by strategy
  std::vector<std::string> schedulers{"buckets"}, compressors{"none"};
  std::string trace;
  bool breakdown = false;

  void add(CLI::App& command);
  /// Completes what was parsed. Throws Error(usage) for an option that changes nothing.
  void complete(const CLI::App& command);
  std::vector<Rank> chosen_workers() const;
};

}  // namespace arlab::bench
