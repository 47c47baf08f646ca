// subset_of: a communicator of some ranks of an MPI job.
#pragma once

#include <memory>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/rest.hpp"

namespace arlab::collectives {

/// Returns the communicator of `members`, ranks of `world` (Mpi::world()), in this order. They call
/// it together, the others do not. Throws Error(usage) if this rank is not among them, or one is
/// there twice or not a rank of the job. `rest` as with mpi_communicator().
std::unique_ptr<Communicator> subset_of(Communicator& world, const std::vector<Rank>& members,
                                        Rest rest = {});

}  // namespace arlab::collectives
