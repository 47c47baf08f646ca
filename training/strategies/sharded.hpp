// Sharded data parallelism for real: each rank updates a part of the weights, and keeps the
// optimizer's state, and perhaps the gradients, of that part alone.
//
// Variables form units. When the gradients of a unit are complete, they are reduce-scattered, during
// the rest of the backward pass. Each rank updates its chunk of every unit; the chunks are gathered
// during the next forward pass, which waits for a unit when it needs it. Every rank sends
// 2 n (P - 1) / P bytes per step for n bytes of gradients, as with a ring allreduce. Rajbhandari et
// al., ZeRO, SC 2020.
#pragma once

#include <memory>
#include <string>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

/// `frees_gradients`: once a unit is reduced, the gradients of other ranks' chunks have no memory until
/// the next backward pass, which waits if more than two units are in progress (zero2).
std::unique_ptr<Strategy> make_sharded(const StrategyContext& context, bool frees_gradients);

/// Returns why the strategy cannot work here; empty if it can.
std::string refuse_sharded(const StrategyContext& context);

}  // namespace arlab::training
