// Allreduce of gradients: every worker holds all weights and applies the same sum.
//
// Gradients travel as a scheduler says, while the backward pass goes on; where it has no barrier,
// in the next forward pass, too, and each variable is updated when that needs it. Sergeev & Del
// Balso, Horovod, arXiv:1802.05799; Li et al., VLDB 13(12), 2020; Peng et al., ByteScheduler, SOSP
// 2019.
#pragma once

#include <memory>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

std::unique_ptr<Strategy> make_all_reduce(const StrategyContext& context);

}  // namespace arlab::training
