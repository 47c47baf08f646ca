// The communicator of all ranks of an MPI job, or of any MPI communicator.
#pragma once

#include <mpi.h>

#include <memory>

#include "collectives/communicator.hpp"
#include "collectives/mpi/watch.hpp"

namespace arlab::collectives {

/// Returns a communicator over a duplicate of `comm`, which has one group; all its ranks call it together.
/// MPI has started, and `watch` outlives the communicator.
std::unique_ptr<Communicator> mpi_communicator(Watch& watch, MPI_Comm comm = MPI_COMM_WORLD);

/// Returns the watch of such a communicator.
Watch& watch_of(Communicator& communicator);

}  // namespace arlab::collectives
