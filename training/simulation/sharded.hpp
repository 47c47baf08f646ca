// Sharded data parallelism: each rank keeps a part of the optimizer's state, of the gradients, and of the
// parameters.
//
// zero1 and zero2: gradients are reduce-scattered in the backward pass, each rank updates its shard, and
// the weights are all-gathered before the next forward pass. fsdp (zero3) gathers the weights of a unit
// before its forward pass and again before its backward pass, one unit ahead. Rajbhandari et al., ZeRO,
// SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023. Only simulated: one rank represents all.
#pragma once

#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

/// Returns the sharding of a name; nothing for names of other strategies.
std::optional<Shards> find_sharded_strategy(std::string_view name);

/// Returns the bytes that a rank sends per step with n bytes of gradients and of weights, by an algorithm
/// that sends the fewest: 2 n (P - 1) / P, and for fsdp 3 n (P - 1) / P.
double sharded_bytes(Shards sharding, double n, Rank ranks);

/// Returns the bytes of a rank for training in mixed precision with Adam, without activations: weights and
/// gradients of 2 bytes, optimizer state of 12 bytes per parameter.
double sharded_memory(Shards sharding, double parameters, Rank ranks);

/// Simulates the plan, whose sharding is not none. `times`: of the plan.
SimulatedSteps simulate_sharded(const TrainingPlan& plan, const Profile& layers,
                                CollectiveTimes& times);

}  // namespace arlab::training
