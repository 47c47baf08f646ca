// Allreduce of gradients: every worker holds all weights and applies the same sum.
//
// A scheduler orders the exchange, which overlaps the backward pass. Without a barrier it also
// overlaps the next forward pass, which updates each variable when it needs it. Sergeev & Del Balso,
// Horovod, arXiv:1802.05799; Li et al., VLDB 13(12), 2020; Peng et al., ByteScheduler, SOSP 2019.
#pragma once

#include <memory>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

std::unique_ptr<Strategy> make_all_reduce(const StrategyContext& context);

}  // namespace arlab::training
