// Calls to MPI: error codes as Error, ranks of communicators, and the size of one message.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

/// Messages are sent as bytes, in pieces, because MPI counts with int. A multiple of every
/// element's size.
inline constexpr std::size_t kMpiPiece = std::size_t{1} << 30;

/// Throws Error(environment) with MPI's text unless `code` is success. `doing` names the call.
void check_mpi(int code, const char* doing);

// These throw as check_mpi() does.
Rank rank_in(MPI_Comm comm);
Rank ranks_of(MPI_Comm comm);

}  // namespace arlab::collectives
