// Allreduce of gradients: every worker holds all weights and applies the same sum.
//
// A bucket starts when its gradients are there, and is applied when it has arrived, while the next
// one travels. Sergeev & Del Balso, Horovod, arXiv:1802.05799; Li et al., VLDB 13(12), 2020.
#pragma once

#include <memory>

#include "training/strategies/strategy.hpp"

namespace arlab {

std::unique_ptr<Strategy> make_all_reduce(const Station& station);

}  // namespace arlab
