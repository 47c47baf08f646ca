// Sweep: plans and evaluates configurations, in one thread or several.
#pragma once

#include <functional>

#include "bench/sweep/output.hpp"

namespace arlab::bench {

/// The resources that a configuration needs, from its closed forms.
struct Estimate {
  double messages = 0;
  double packets = 0;  ///< links crossed by packets, if the model has packets
  double memory = 0;   ///< bytes
  double seconds = 0;
  std::string impossible{};  ///< the reason why no machine can do it; empty if one can
};

/// Fills in the record of a configuration that is not skipped.
using Evaluate = std::function<void(const Config&, Record&)>;

/// How a sweep uses several threads.
struct Parallel {
  int threads = 1;
  std::function<Evaluate()> another{};  ///< returns an Evaluate for one more thread
  /// Whether two neighbors must be evaluated by one thread, in order; null: none.
  std::function<bool(const Config&, const Config&)> together{};
};
using Estimator = std::function<Estimate(const Config&, const Record&)>;

/// Returns the body of a record before its configuration is evaluated: what identifies it.
using MakeBody = std::function<Record::Body(const Config&)>;

/// Evaluates all configurations or, with --dry-run, prints what they would need. With --jobs share,
/// this process evaluates its part. Configurations that the algorithm does not support, and those
/// that need too many messages or too much memory, are skipped with the reason. Returns the exit
/// code. Results come in the order of the configurations, also with several threads.
int sweep(const SweepOptions& options, const std::vector<Config>& configs,
          const MakeBody& make_body, const Estimator& estimate, const Evaluate& evaluate,
          const Parallel& parallel = {});

/// Returns the number of rounds of all ranks, if the last rank is a typical one. A round without
/// messages takes time, too.
double rounds_of_all(const Config& config, const Record& record);

/// Returns why the configuration should not be tried; empty if it can be.
std::string too_big(const SweepOptions& options, const Estimate& estimate);

}  // namespace arlab::bench
