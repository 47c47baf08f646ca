// The decision files that `arlab tune` writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/formats/rules/open_mpi_rules.hpp"
#include "bench/tune/cells.hpp"

namespace arlab::bench {

struct TuneFiles {
  std::string table, open_mpi, mpich, nccl;  ///< paths; empty: not written
  std::string mpich_base;                    ///< the selection file that MPICH ships
  std::string nccl_protocol = "simple";
  int nccl_channels = 0;                       ///< 0: not given
  std::optional<OpenMpiVersion> version = {};  ///< that the rules are for; empty: the one here
};

/// Throws Error(usage) if a file lacks what it needs, and Error(environment) if one cannot be
/// written.
void check_files(const TuneFiles& files);

/// The version that the rules file is for. Throws Error(usage) if it is not known.
OpenMpiVersion version_of(const TuneFiles& files);

/// Whether runs and programs that read a tuning table know all that the choice needs: they know no
/// trees and no grid of a simulated network, and no switches that add.
bool known_to_runs(const TunedChoice& choice);

/// Returns the choices among algorithms of the library, as "native:ring". From simulated cells
/// those of the catalog that send the same: master_worker, butterfly, ring and rabenseifner of Open
/// MPI's.
std::vector<std::optional<TuneDecision>> decide_for_library(const std::vector<TuneCell>& cells,
                                                            bool simulated);

/// Returns the candidates that NCCL does not have, which its file cannot name.
std::vector<std::string> unknown_to_nccl(const std::vector<TuneCell>& cells);
/// Returns the candidates that are not known_to_runs().
std::vector<std::string> unknown_to_runs(const std::vector<TuneCell>& cells);

/// Writes all files but the one of our own table.
void write_library_files(const TuneFiles& files, const std::vector<TuneCell>& cells,
                         const TuningTable& of_library, const std::string& made_by);

}  // namespace arlab::bench
