// A sweep whose configurations are done one after the other, by this process alone.
#pragma once

#include <functional>

#include "bench/results/output.hpp"

namespace arlab::bench {

/// What a configuration would take, from its closed forms.
struct Estimate {
  double messages = 0;
  double packets = 0;  ///< links crossed by packets, where the model has packets
  double memory = 0;   ///< bytes
  double seconds = 0;
  std::string impossible{};  ///< why it cannot be done whatever the machine; empty if it can
};

/// Fills in a record whose configuration can be done.
using Evaluate = std::function<void(const Config&, Record&)>;
using Estimator = std::function<Estimate(const Config&, const Record&)>;

/// Does all configurations, or, with --plan, says what they would take. What the algorithm does not
/// support, has too many messages, or does not fit into memory is skipped with its reason. Returns
/// the exit code. `describe` adds to a record what identifies it before it is done (model,
/// machine).
int sweep(const SweepOptions& options, const std::string& kind,
          const std::function<void(Record&)>& describe, const Estimator& estimate,
          const Evaluate& evaluate);
/// The same of these configurations.
int sweep(const SweepOptions& options, const std::vector<Config>& configs, const std::string& kind,
          const Evaluate& describe, const Estimator& estimate, const Evaluate& evaluate);

/// Why the configuration should not be tried; empty if it can be.
std::string too_big(const SweepOptions& options, const Estimate& estimate);

/// The table of --plan.
void print_plan(const std::vector<Record>& records, const std::vector<Estimate>& estimates);

/// The largest number of actions in one round, and of elements received to be added in one, over
/// ranks `some`.
struct RoundSize {
  Count actions = 0;
  Count reduced_elements = 0;
};
RoundSize largest_round(const Config& config, Rank of_rank);

}  // namespace arlab::bench
