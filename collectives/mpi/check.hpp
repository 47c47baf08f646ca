// Calls to MPI: error codes as Error, and the size of one message.
#pragma once

#include <cstddef>

namespace arlab::collectives {

/// Messages are sent as bytes, in pieces, because MPI counts with int. A multiple of every
/// element's size.
inline constexpr std::size_t kMpiPiece = std::size_t{1} << 30;

/// Throws Error(environment) with MPI's text unless `code` is success. `doing` names the call.
void check_mpi(int code, const char* doing);

}  // namespace arlab::collectives
