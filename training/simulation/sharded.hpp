// Sharded data parallelism: each rank keeps a part of the optimizer's state, of the gradients, and of the
// parameters.
//
// zero1 and zero2: gradients are reduce-scattered in the backward pass, each rank updates its shard, and
// the weights are all-gathered before the next forward pass. fsdp (zero3) gathers the weights of a unit
// before its forward pass and again before its backward pass, one unit ahead. hsdp does so within groups,
// and sums each shard over the groups. One rank represents all. The steps are those of the real strategies
// (training/strategies/sharded.hpp). Rajbhandari et al., ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB
// 2023.
#pragma once

#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

/// Returns the sharding of a name; nothing for names of other strategies.
std::optional<Shards> find_sharded_strategy(std::string_view name);

/// Returns the ranks that share one copy of what is sharded: all, or those of a group.
Rank ranks_per_copy(const TrainingPlan& plan);

/// Returns the bytes that a rank sends per step with n bytes of gradients and of weights, by an algorithm
/// that sends the fewest: 2 n (P - 1) / P; for fsdp 3 n (P - 1) / P; for hsdp with G ranks per group and
/// R = P / G groups 3 n (G - 1) / G + 2 n / G (R - 1) / R.
double sharded_bytes(Shards sharding, double n, Rank ranks, Rank group = 0);

/// Returns the bytes of a rank for training in mixed precision with Adam, without activations: weights and
/// gradients of 2 bytes, optimizer state of 12 bytes per parameter. `ranks`: that share one copy.
double sharded_memory(Shards sharding, double parameters, Rank ranks);

/// Simulates the plan, whose sharding is not none. `times`: of the plan.
SimulatedSteps simulate_sharded(const TrainingPlan& plan, const Profile& layers,
                                CollectiveTimes& times);

}  // namespace arlab::training
