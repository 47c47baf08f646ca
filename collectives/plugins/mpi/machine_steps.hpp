// MachineSteps: collectives of the ranks of one machine, and the memory that they share.
#pragma once

#include <mpi.h>

#include "collectives/shm/shared_memory.hpp"
#include "collectives/shm/step_collectives.hpp"

namespace arlab::collectives {

/// As many ranks as may share memory on a machine.
constexpr Rank kMostSharing = 128;

struct MachineSteps {
  /// All ranks of `comm` call it together; they are on one machine, which may be crowded
  /// (Machine::crowded). Throws Error(environment) with the reason on all of them if any cannot.
  MachineSteps(MPI_Comm comm, bool crowded);

  SharedMemory memory;
  StepCollectives steps;
};

}  // namespace arlab::collectives
