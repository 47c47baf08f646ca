// Machine: what this process knows of the machine that it shares with other ranks of the job.
#pragma once

#include <cstdint>

namespace arlab::collectives {

struct Machine {
  std::uint64_t id = 0;  ///< the same on all ranks of a machine; 0: not known
  bool crowded = true;   ///< the job has more ranks here than processors, or nobody has counted
};

/// Returns the machine. All ranks of MPI_COMM_WORLD call it together.
Machine machine_of_job();

/// Returns a number that other machines do not have. ARLAB_RANKS_PER_MACHINE emulates several on
/// one.
std::uint64_t machine_id();

}  // namespace arlab::collectives
