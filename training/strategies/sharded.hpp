// Sharded data parallelism for real: each rank updates a part of the weights, and keeps the
// optimizer's state, and perhaps the gradients and the weights, of that part alone.
//
// Variables form units. When the gradients of a unit are complete, they are reduce-scattered,
// during the rest of the backward pass. Each rank updates its chunk of every unit.
//
// - zero1, zero2: the chunks are gathered during the next forward pass, which waits for a unit when
//   it needs it. Every rank sends 2 n (P - 1) / P bytes per step for n bytes of gradients, as with
//   a ring allreduce.
// - fsdp (zero3): each pass gathers each unit before it uses it, one unit ahead, and frees it then:
//   3 n (P - 1) / P bytes.
// - hsdp: the same within groups of G ranks, and an allreduce of each chunk over the P / G groups:
//   3 n (G - 1) / G + 2 n / G (P / G - 1) / (P / G) bytes.
//
// Rajbhandari et al., ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023.
#pragma once

#include <memory>
#include <string>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

/// `frees_gradients`: once a unit is reduced, the gradients of other ranks' chunks have no memory
/// until the next backward pass, which waits if more than two units are in progress (zero2).
std::unique_ptr<Strategy> make_sharded(const StrategyContext& context, bool frees_gradients);

/// fsdp and, in groups, hsdp. At most two units of weights are here at a time, besides the own
/// chunks; all of them are after flush() and settle().
std::unique_ptr<Strategy> make_gathered(const StrategyContext& context, bool in_groups);

/// Return why the strategy cannot work here; empty if it can.
std::string refuse_sharded(const StrategyContext& context);
std::string refuse_grouped(const StrategyContext& context);

}  // namespace arlab::training
