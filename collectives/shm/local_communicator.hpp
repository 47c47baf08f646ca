// The communicator of processes of one machine that map the same memory, without MPI.
#pragma once

#include <cstddef>
#include <memory>

#include "collectives/communicator.hpp"
#include "collectives/rest.hpp"

namespace arlab::collectives {

/// Returns the bytes that it needs.
std::size_t local_communicator_bytes(Rank ranks);

/// Returns a communicator over `memory`, zeros at first, which must outlive it. `rest` as with
/// mpi_communicator().
std::unique_ptr<Communicator> local_communicator(std::byte* memory, Rank me, Rank ranks, Rest rest);

}  // namespace arlab::collectives
