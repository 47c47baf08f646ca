// What this process's environment asks for, and what it has called.
#pragma once

#include <mpi.h>

#include <string>

#include "collectives/plugins/mpi/call_log.hpp"
#include "collectives/plugins/mpi/machine.hpp"
#include "collectives/plugins/size_rules.hpp"

namespace arlab::collectives {

/// Prints on rank 0 of the communicator, and each text once.
void say_once(const std::string& text, MPI_Comm comm = MPI_COMM_WORLD);

/// From the environment, when MPI starts; if another tool took that call, when the first allreduce
/// is called.
struct Plugin {
  Plugin();

  /// Compares the settings of all ranks (compare_settings()). Call it right after MPI_Init.
  void start();

  /// Prints the report and writes the profile, on rank 0. MPI_Finalize calls it.
  void end() const;

  std::string algorithm, profile;  ///< ARLAB_ALGORITHM, ARLAB_PROFILE
  bool reports, logs;
  bool with_all_ranks = false;  ///< all ranks of the job have compared their settings
  RankRules rules;              ///< empty: the library runs
  bool shares = false;          ///< some rule uses shared memory
  Machine machine;
  CallLog log;
};

Plugin& plugin();

}  // namespace arlab::collectives
