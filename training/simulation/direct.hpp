// simulate_direct: training whose strategy sends its messages from rank to rank itself: parameter
// servers and stale_synchronous. Every rank and message is simulated, at any number of workers.
#pragma once

#include "training/simulation/direct_world.hpp"

namespace arlab::training {

/// Most messages of all steps: minutes.
inline constexpr Count kMostDirectMessages = 100'000'000;
/// Most gradients that can be in progress at once: gigabytes.
inline constexpr Count kMostGradientsInProgress = 8'000'000;

/// Steps are those of rank 0: the times of training on emulated ranks, to the picosecond on up to
/// kMostExactWorkers. `communication` is what rank 0 waits for, which includes other workers.
/// `messages`: of one step of all workers. Throws Error(usage), with the remedy, if they are too
/// many.
SimulatedSteps simulate_direct(SimulatedSteps (*run)(const TrainingPlan&, simulator::Network&,
                                                     bool trace),
                               double messages, const TrainingPlan& plan,
                               const MakeNetwork& network, bool trace);

/// Beyond so many workers, a server on a network of ports begins a reply when the one before has
/// left. So messages of several servers that start at the same picosecond may change places.
inline constexpr Rank kMostExactWorkers = 64;

/// Simulates workers that push gradients to servers, and pull weights.
SimulatedSteps simulate_servers(const TrainingPlan& plan, const MakeNetwork& network, bool trace);

/// Simulates strategy stale_synchronous.
SimulatedSteps simulate_stale(const TrainingPlan& plan, const MakeNetwork& network, bool trace);

}  // namespace arlab::training
