// Messages between devices through MPI.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// See Mpi. `world` has all ranks, and allreduces host memory, or, `directly`, a device's, too.
std::unique_ptr<DeviceTransport> mpi_wires(Communicator& world, Device& device, bool directly);
std::string why_mpi_cannot_send_from(Communicator& world, Device& device);

/// Messages travel as bytes, in pieces: MPI counts with int. A multiple of every element's size.
inline constexpr std::size_t kMpiPiece = std::size_t{1} << 30;

/// Throws Error(environment) with MPI's own text unless `code` is success.
void check_mpi(int code, const char* doing);

}  // namespace arlab::collectives
