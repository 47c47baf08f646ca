// simulate_training: simulates training from a plan: every rank by itself where they are few, else
// one rank for all; or as the strategy says (StrategyKind::simulate).
//
// One rank represents all if the ranks finish a collective together, or nearly so: then the next
// collective starts at the end of the last rank. Times of collectives are those of an idle network.
#pragma once

#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

enum class Ranks : std::uint8_t {
  /// each, up to kMostSingleRanks and kMostMessages of all steps; one_for_all for periodic
  /// strategies, whose steps differ
  automatic,
  each,
  one_for_all,
};

inline constexpr Rank kMostSingleRanks = 64;
inline constexpr Count kMostMessages = 4'000'000;

/// Throws Error(usage) as check() does, for fewer than 4 steps, and for collectives of too many
/// messages.
SimulatedSteps simulate_training(const TrainingPlan& plan, const MakeNetwork& network,
                                 Ranks ranks = Ranks::automatic, bool trace = false);

/// Returns the layers with the times of the slowest worker, or of the mean one if workers do not
/// wait for each other.
Profile slowed(const TrainingPlan& plan);

/// Returns the step of one worker without communication, in picoseconds; with stragglers, that of
/// the slowest one, or the mean if workers do not wait for each other.
double computation_of(const TrainingPlan& plan);

}  // namespace arlab::training
