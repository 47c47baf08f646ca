// Clock synchronization: what each rank's clock shows when that of rank 0 shows a given time.
//
// Ranks of one machine share its monotonic clock. Between machines, the first rank of each learns a
// line through the offsets of two clocks, from messages there and back. A machine that has learned
// teaches others, in a tree of as many rounds as the logarithm of the machines. After HCA3: Hunold
// and Carpen-Amarie, Hierarchical clock synchronization in MPI, CLUSTER 2018.
#pragma once

#include "collectives/communicator.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::collectives {

struct ClockSyncOptions {
  int points = 20;       ///< offsets through which the line is fitted
  int pings = 8;         ///< messages per point; the fastest counts
  double seconds = 0.1;  ///< over which the points of a pair of clocks are spread
};

/// Returns the model of this rank's clock. All ranks call it together. It costs nothing, and the
/// model is exact, if all ranks share a machine.
ClockModel synchronize_clocks(Communicator& communicator, const ClockSyncOptions& options = {});

/// Returns by how many seconds the model of any rank deviates from rank 0's clock now; 0 on one
/// machine. It cannot see less than half of the time of a message there and back. All ranks call it
/// together, and get the same.
double clock_deviation(Communicator& communicator, const ClockModel& mine, int pings = 8);

}  // namespace arlab::collectives
