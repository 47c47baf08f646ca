// The communicator of all ranks of an MPI job whose messages pass through shared memory within a
// machine, and through MPI between machines.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

struct SharedOptions {
  /// Whether long messages are read from their sender's memory, where the system permits it; else
  /// they pass through shared memory in fragments.
  bool reads_peers = true;
  /// Whether allocate() returns memory that all ranks map, from which messages are not copied at
  /// all.
  bool maps_vectors = false;
};

/// Returns why the ranks of Mpi::world() cannot use it; empty if they can. All ranks call it
/// together.
std::string why_not_shared(Communicator& world);

/// Returns a communicator over `world` (Mpi::world()), which must outlive it and does what is not a
/// message. Its own allreduce is shared_slices() on one machine, else the library's;
/// Baseline::algorithms() are "library", the library's own choice, and those of the library. All
/// ranks call it together. Throws Error(usage) with why_not_shared(), Error(environment) if the
/// ranks of a machine cannot share memory.
std::unique_ptr<Communicator> shared_communicator(Communicator& world,
                                                  const SharedOptions& options = {});

}  // namespace arlab::collectives
