// Which ranks of a communicator are on one machine.
#pragma once

#include <mpi.h>

#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

/// Returns for each rank the first one on its machine, which may be emulated
/// (emulated_machines.hpp). All ranks call it together.
std::vector<Rank> machines_of(MPI_Comm comm);

}  // namespace arlab::collectives
