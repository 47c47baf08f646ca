#include "collectives/plugins/mpi/machine_steps.hpp"

#include <sched.h>

#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {
namespace {

// While a rank waits in shared memory, its other messages must go on: the rank that it waits for
// may wait for them.
void rest_with_progress(void*, unsigned) {
  static thread_local unsigned rests = 0;
  if (rests++ % 8 == 0) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
  sched_yield();
}

StepCollectives steps_in(const SharedMemory& memory, MPI_Comm comm, bool crowded) {
  const StepWaiting waiting{crowded ? 8 : 2000, rest_with_progress};
  const StepSizes sizes{crowded ? std::size_t{128} << 10 : std::size_t{32} << 10,
                        crowded ? std::size_t{32} << 10 : std::size_t{8} << 10};
  return {SharedSteps(memory.data(), rank_in(comm), ranks_of(comm), waiting), sizes};
}

// Whether any rank thinks so: all must have the same sizes.
bool is_crowded(MPI_Comm comm, bool mine) {
  int any = mine ? 1 : 0;
  check_mpi(PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
}

}  // namespace

MachineSteps::MachineSteps(MPI_Comm comm, bool crowded)
    : memory(comm, SharedSteps::bytes_for(ranks_of(comm)), "their collectives are the library's"),
      steps(steps_in(memory, comm, is_crowded(comm, crowded))) {}

}  // namespace arlab::collectives
