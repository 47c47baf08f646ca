// The communicator of all ranks of an MPI job, or of any MPI communicator.
#pragma once

#include <mpi.h>

#include <memory>

#include "collectives/communicator.hpp"
#include "collectives/mpi/watch.hpp"
#include "collectives/rest.hpp"

namespace arlab::collectives {

/// Returns a communicator over the ranks of `comm`, which has one group, with messages of its own
/// and without its attributes; all its ranks call it together. MPI has started, and `watch`
/// outlives the communicator. With `rest`, all waits of algorithms can be interrupted.
std::unique_ptr<Communicator> mpi_communicator(Watch& watch, MPI_Comm comm = MPI_COMM_WORLD,
                                               Rest rest = {});

/// A barrier of such a communicator, for ranks that may wait as long as others work: they leave
/// their cores to them, and no stall is noticed.
void meet_at_rest(Communicator& communicator);

/// Returns what such a communicator calls MPI with.
MPI_Comm comm_of(const Communicator& communicator);
/// Returns the watch of such a communicator.
Watch& watch_of(Communicator& communicator);

}  // namespace arlab::collectives
