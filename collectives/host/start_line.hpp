// wait_for_start: lets all ranks start a timed run together, by a barrier or at an agreed time.
#pragma once

#include "collectives/communicator.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::collectives {

/// Returns when this rank may start, after request.delay: after a barrier, or at the time that all
/// ranks agreed on (round-time: Hunold and Carpen-Amarie, CLUSTER 2018). Returns false if that time
/// had passed when this rank knew it.
bool wait_for_start(Communicator& communicator, const RunRequest& request);

/// Returns the time that goes into the maximum over the ranks: infinite for a rank that was late.
double microseconds_or_late(bool in_time, double seconds);

}  // namespace arlab::collectives
