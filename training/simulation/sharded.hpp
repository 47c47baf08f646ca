// Sharded data parallelism: each rank keeps a part of the optimizer's state, of the gradients, and
// of the parameters.
//
// zero1 and zero2: gradients are reduce-scattered in the backward pass, each rank updates its
// shard, and the weights are all-gathered before the next forward pass. fsdp (zero3) gathers the
// weights of a unit before its forward pass and again before its backward pass, one unit ahead.
// hsdp does so within groups, and sums each shard over the groups. One rank represents all. The
// steps are those of the real strategies (training/strategies/sharded.hpp). Rajbhandari et al.,
// ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023.
#pragma once

#include <optional>

#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

/// Returns the ranks that share one copy of what is sharded: all, or those of a group.
Rank ranks_per_copy(const TrainingPlan& plan);

/// Units whose gradients zero2 exchanges while the backward pass continues.
inline constexpr std::size_t kZero2UnitsInProgress = 2;

/// Simulates a plan of a sharded strategy. `most`: of as many units gradients may be in progress.
SimulatedSteps simulate_sharded(const TrainingPlan& plan, const MakeNetwork& network,
                                std::optional<std::size_t> most = std::nullopt);

}  // namespace arlab::training
