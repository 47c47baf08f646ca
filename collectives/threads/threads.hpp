// threads: every rank is a thread of this process.
//
// Needs only the standard library, so it is the default and the reference for the other backends.
#pragma once

#include <functional>

#include "collectives/communicator.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {

inline constexpr Rank kMaxThreadRanks = 1024;

/// Runs `body` once per rank, each on its own thread, and returns when all have ended. The first
/// exception in any rank ends the others at their next wait, barrier, max or sum, and is rethrown
/// here. Throws Error(usage) unless 1 <= ranks <= kMaxThreadRanks, Error(environment) if the system
/// cannot start that number of threads. If all ranks that still run wait for one another for as
/// long as the patience, without any progress, they throw Stalled.
void on_threads(Rank ranks, const std::function<void(Communicator&)>& body,
                const Patience& patience = {});

}  // namespace arlab::collectives
