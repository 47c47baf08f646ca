// SharedRanks: what the drop-in library keeps per MPI communicator whose ranks, or some of them,
// share a machine.
#pragma once

#include <mpi.h>

#include "collectives/plugins/mpi/levels.hpp"
#include "collectives/plugins/size_rules.hpp"
#include "collectives/shm/step_collectives.hpp"

namespace arlab::collectives {

/// What passes through shared memory.
enum class SharedCall : unsigned char { allgather, allreduce, bcast, reduce, reduce_scatter };

/// Returns whether measurements have it faster than the library: `bytes` of the vector, of
/// allgather and reduce_scatter of the block of a rank. The ranks are those of a communicator.
bool is_faster_shared(SharedCall call, Rank ranks, Bytes bytes);

/// The same by level, on several machines.
bool is_faster_by_level(SharedCall call, Rank machines, Rank ranks, Bytes bytes);

/// At most one is not null; with neither, the library runs.
struct SharedRanks {
  StepCollectives* steps = nullptr;  ///< of one machine
  Levels* levels = nullptr;          ///< of several
  const char* why = "mpi";           ///< why the library runs
  bool lasts = false;                ///< until a communicator is freed (communicators_freed())
};

/// Returns what a communicator shares. All its ranks call it together, with the same `bytes`. Until
/// a communicator has had a few calls, or a large one, it shares nothing: many live shortly.
SharedRanks shared_ranks(MPI_Comm comm, Bytes bytes);

/// Returns the same if the rules want shared memory for such a call, else neither.
SharedRanks shared_ranks_for(SharedCall call, MPI_Comm comm, Bytes bytes);

}  // namespace arlab::collectives
