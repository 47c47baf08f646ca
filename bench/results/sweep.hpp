// Sweep: evaluates configurations one after the other, in this process.
#pragma once

#include <functional>

#include "bench/results/output.hpp"

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
using Estimator = std::function<Estimate(const Config&, const Record&)>;

/// Returns the body of a record before its configuration is evaluated: what identifies it.
using MakeBody = std::function<Record::Body(const Config&)>;

/// Evaluates all configurations or, with --plan, prints what they would need. Configurations that
/// the algorithm does not support, and those that need too many messages or too much memory, are
/// skipped with the reason. Returns the exit code.
int sweep(const SweepOptions& options, const std::vector<Config>& configs,
          const MakeBody& make_body, const Estimator& estimate, const Evaluate& evaluate);

/// Returns why the configuration should not be tried; empty if it can be.
std::string too_big(const SweepOptions& options, const Estimate& estimate);

/// Prints the table of --plan.
void print_plan(const std::vector<Record>& records, const std::vector<Estimate>& estimates);

/// The largest number of actions in one round, and of elements that one round reduces.
struct RoundSize {
  Count actions = 0;
  Count reduced_elements = 0;
};
/// Returns the maxima over the rounds of this rank.
RoundSize largest_round(const Config& config, Rank of_rank);

}  // namespace arlab::bench
