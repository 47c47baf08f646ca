// SimulatedSteps: the times of simulated training steps, as rank 0 sees them; each collective as
// the rank does that comes last, and so waits for no other's passes.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "training/simulation/training_plan.hpp"
#include "training/telemetry/step_trace.hpp"

namespace arlab::training {

struct SimulatedSteps {
  std::vector<Time> begins;  ///< of each step, and the end of the last one
  /// Of all of these per step, in picoseconds: waiting for gradients. Where workers wait for none,
  /// the mean over the steps of all.
  double exposed = 0;
  /// Collectives and announcements, hidden or exposed; of a strategy that sends messages itself,
  /// the exchange of the slowest worker, or as `exposed`. Of it:
  double communication = 0;
  double codec = 0;             ///< coding
  double collectives = 0;       ///< number per step: one or two per code, else one per bundle
  double sent = 0;              ///< bytes without announcements, mean over the ranks
  double startup = 0;           ///< the part of `communication` that remains without bytes
  bool each_rank = false;       ///< all ranks were simulated, not one for all
  double pace = 1;              ///< mean steps of the workers per step of rank 0
  std::vector<StepSpan> spans;  ///< of every rank, if asked for
  /// The number of `collectives` of each kind, from which `startup` follows.
  std::map<std::pair<Collective, Carrier>, double> kinds = {};

  /// Counts the collectives, each as `number`.
  void add(std::span<const Transmission> parts, double number) {
    collectives += number * static_cast<double>(parts.size());
    add_startup(parts, number);
  }
  /// Counts only their start-up: of announcements, which carry no gradients.
  void add_startup(std::span<const Transmission> parts, double number) {
    for (const Transmission& t : parts) kinds[{t.collective, t.carrier}] += number;
  }
  /// Divides what add() has counted.
  void divide_collectives(double steps) {
    collectives /= steps;
    for (auto& [kind, number] : kinds) number /= steps;
  }
  /// Returns picoseconds per step of rank 0, over the second half of the steps.
  double period() const;
  /// Returns picoseconds per step, mean over the steps of all workers.
  double step() const { return period() / pace; }
};

/// Simulates every rank, message by message: the times of training on emulated ranks, without their
/// threads, gradients and memory. A profile-guided scheduler has the profile's times, and `link`,
/// from the first step on. The network must be new. Throws Error(usage) as check() does.
SimulatedSteps simulate_each_rank(const TrainingPlan& plan, simulator::Network& network,
                                  const LinkCost& link, bool trace = false);

}  // namespace arlab::training
