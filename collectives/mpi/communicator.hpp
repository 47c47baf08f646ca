// The communicator of all ranks of an MPI job.
#pragma once

#include <memory>

#include "collectives/communicator.hpp"
#include "collectives/mpi/watch.hpp"

namespace arlab::collectives {

/// MPI has started, and `watch` outlives the communicator.
std::unique_ptr<Communicator> mpi_communicator(Watch& watch);

/// Returns the watch of such a communicator.
Watch& watch_of(Communicator& communicator);

}  // namespace arlab::collectives
