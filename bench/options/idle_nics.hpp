// Idle NICs: where nodes have several, a ring or tree of one channel uses one of them.
#pragma once

#include <span>
#include <vector>

#include "bench/config/config.hpp"

namespace arlab::bench {

/// Returns these algorithms, and after each of one channel the same with all NICs.
std::vector<const Algorithm*> and_with_all_nics(std::span<const Algorithm* const> algorithms,
                                                const RankLayout& layout, Collective task);

/// Says on stderr that a configuration leaves NICs idle, unless another one uses them all.
void say_idle_nics(std::span<const Config> configs);

}  // namespace arlab::bench
