// The MPI library's own form of a collective out of place: from one vector into another.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/mpi/library/operand.hpp"

namespace arlab::collectives {

/// Runs the call that native_mpi_name() names. The result is where the problem defines it; `from`
/// is only read. `scratch` is kept by the caller for what a rank contributes instead of it, as an
/// average of few bits needs. Throws Error(usage) for a vector that MPI cannot count.
void native_mpi_out_of_place(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from,
                             std::byte* into, const MpiOperand& operand,
                             std::vector<std::byte>& scratch);

}  // namespace arlab::collectives
