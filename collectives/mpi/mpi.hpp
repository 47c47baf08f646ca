// mpi: every rank is a process of an MPI job. Plain MPI-3, works with Open MPI and MPICH.
//
// mpi.h is included in mpi.cpp only.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// The MPI library from its start to its end; at most one in a process, on the main thread.
///
/// A rank that cannot go on must call abort(), or the others wait for it for ever. So main() makes
/// its Mpi first and catches inside of its lifetime; an Mpi that is destroyed by an exception ends
/// the job, too, but cannot say why.
class Mpi {
 public:
  /// Throws Error(environment) if MPI does not start.
  Mpi();
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  /// Whether this process was started as a rank of a job, by mpirun, mpiexec or srun.
  static bool launched();

  /// The library and its version, such as "Open MPI v4.1.4"; valid without an Mpi, too.
  static std::string library();

  /// All ranks of the job. Its errors are Error(environment) with MPI's own text; a lane or a
  /// message beyond what MPI can count is Error(usage).
  Communicator& world();

  /// The position of this rank among those that share its machine's memory.
  Rank local_rank() const;

  /// Why this library cannot send a device's memory itself; empty if it can, which is tried out.
  /// All ranks call it together, and get the same.
  std::string why_not_from(Device& device);

  /// Messages between devices: from and to their memory directly, which the library must be able
  /// to, or staged through pinned memory of the host.
  std::unique_ptr<DeviceTransport> wires(Device& device, bool directly);

  /// Ends all ranks of the job at once, with this exit code.
  [[noreturn]] void abort(int code);

 private:
  std::unique_ptr<Communicator> world_;
  int exceptions_;
};

}  // namespace arlab::collectives
