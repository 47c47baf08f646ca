// The MPI library's own form of a collective, as a baseline.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/mpi/library/operand.hpp"

namespace arlab::collectives {

/// Returns its name: MPI_Reduce_scatter_block, MPI_Allgather, MPI_Reduce, MPI_Bcast, MPI_Allreduce.
/// Where the ranks do not divide the elements, the first two are MPI_Reduce_scatter and
/// MPI_Allgatherv. Empty if the elements exceed what these can count.
const char* native_mpi_name(const Problem& problem);

/// Runs it on the vector of this rank, with the result where the problem defines it. `scratch` is
/// kept by the caller for a result that MPI cannot write in place.
void run_native_mpi(MPI_Comm comm, const Problem& problem, Rank me, std::byte* data,
                    const MpiOperand& operand, std::vector<std::byte>& scratch);

/// Whether MPI alone touches the vector then, which may lie in a device's memory. Otherwise the
/// host copies parts of it, too.
bool leaves_data_to_mpi(const Problem& problem);

/// The same as run_native_mpi() of an allreduce, by MPI_Iallreduce. Calls finish(request) for each
/// piece, to wait for it.
void start_native_allreduce(MPI_Comm comm, const Problem& problem, std::byte* data,
                            const MpiOperand& operand,
                            const std::function<void(MPI_Request&)>& finish);

}  // namespace arlab::collectives
