// Messages between devices through MPI.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// Sends messages from and to device memory: directly, which the library must support, or staged
/// through pinned host memory. `world` is Mpi::world(), and must outlive the transport.
std::unique_ptr<DeviceTransport> mpi_transport(Communicator& world, Device& device, bool directly);

/// Returns why this library cannot send device memory itself; empty if it can, which is tried out.
/// All ranks call it together, and get the same.
std::string why_mpi_cannot_send_from(Communicator& world, Device& device);

}  // namespace arlab::collectives
