// native_collective: the MPI library's own collectives on the vectors of an algorithm.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Returns "MPI_Reduce_scatter".
const char* native_mpi_name(Collective collective);

/// Runs it. The vector is cut into balanced chunks, and each rank's chunk is where an algorithm has
/// it. Where `from` is not `into`, it is only read. Throws Error(usage) for a vector that MPI cannot
/// count.
void native_mpi_collective(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from,
                           std::byte* into, Operand operand);

}  // namespace arlab::collectives
