#include "training/simulation/direct.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

void check_size(const TrainingPlan& plan) {
  const double messages = direct_messages(plan) * (plan.steps + 1);
  if (messages > static_cast<double>(kMostDirectMessages))
    fail(Blame::usage, "strategy " + std::string(plan.strategy->name) + " sends " +
                           std::to_string(static_cast<Count>(messages)) + " messages in " +
                           std::to_string(plan.steps) + " steps of " +
                           std::to_string(plan.workers()) + " workers, more than the " +
                           std::to_string(kMostDirectMessages) +
                           " that are simulated: use fewer steps or workers");
  const double receives = gradients_in_progress(plan);
  if (receives > static_cast<double>(kMostGradientsInProgress))
    fail(Blame::usage, "strategy " + std::string(plan.strategy->name) + " with bound " +
                           std::to_string(plan.bound) + " has up to " +
                           std::to_string(static_cast<Count>(receives)) +
                           " gradients in progress between " + std::to_string(plan.workers()) +
                           " workers, more than the " + std::to_string(kMostGradientsInProgress) +
                           " that are simulated: use fewer workers or a smaller bound");
}

}  // namespace

double direct_messages(const TrainingPlan& plan) {
  const double workers = plan.workers();
  if (!plan.strategy->has_servers) return workers * (workers - 1);
  const auto tensors = std::count_if(plan.layers.begin(), plan.layers.end(),
                                     [](const Layer& l) { return l.elements > 0; });
  return 2 * workers * static_cast<double>(tensors);
}

SimulatedSteps simulate_direct(const TrainingPlan& plan, simulator::Network& network, bool trace) {
  check(plan);
  check_size(plan);
  return plan.strategy->has_servers ? simulate_servers(plan, network, trace)
                                    : simulate_stale(plan, network, trace);
}

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

}  // namespace arlab::training
