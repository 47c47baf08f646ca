#include "training/simulation/direct.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

void check_size(const TrainingPlan& plan, double messages) {
  if (messages > static_cast<double>(kMostDirectMessages))
    fail(Blame::usage, "strategy " + std::string(plan.strategy->name) + " sends " +
                           std::to_string(static_cast<Count>(messages)) + " messages in " +
                           std::to_string(plan.steps) + " steps of " +
                           std::to_string(plan.workers()) + " workers, more than the " +
                           std::to_string(kMostDirectMessages) +
                           " that are simulated: use fewer steps or workers");
}

// One element per tensor and no computation: what takes time is start-up.
TrainingPlan without_bytes(TrainingPlan plan) {
  plan.compression.reset();
  plan.slowdown.clear();
  plan.jitter = 0;
  plan.steps = 4;
  for (Layer& l : plan.layers) {
    l.forward = l.backward = Time{};
    l.elements = std::min<Count>(l.elements, 1);
  }
  return plan;
}

}  // namespace

SimulatedSteps simulate_direct(SimulatedSteps (*run)(const TrainingPlan&, simulator::Network&,
                                                     bool trace),
                               double messages, const TrainingPlan& plan,
                               const MakeNetwork& network, bool trace) {
  check_size(plan, messages * (plan.steps + 1));
  SimulatedSteps result = run(plan, *network(), trace);
  if (plan.ranks > 1) result.startup = run(without_bytes(plan), *network(), false).period();
  return result;
}

}  // namespace arlab::training
