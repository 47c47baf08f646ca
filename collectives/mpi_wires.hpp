// Messages between devices through MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/device_rank.hpp"

namespace arlab {

/// Messages travel as bytes, in pieces: MPI counts with int. A multiple of every element's size.
inline constexpr std::size_t kMpiPiece = std::size_t{1} << 30;

/// Throws Error(environment) with MPI's own text.
void check_mpi(int code, const char* doing);

/// See Mpi. `world` allreduces host memory, or, `directly`, a device's, too.
std::unique_ptr<Wires> mpi_wires(MPI_Comm comm, Communicator& world, Device& device, bool directly);
std::string why_mpi_cannot_send_from(MPI_Comm comm, Communicator& world, Device& device);

}  // namespace arlab
