// Machine files: the numbers of a machine as TOML, which `arlab calibrate` writes and --machine
// reads. docs/simulation.md describes the keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/connections/machine.hpp"

namespace arlab::bench {

/// What an interval of predictions needs. Spreads are standard deviations of logarithms.
struct MachineSpread {
  /// Fitted to the measured times, each with another error of its size: how far these differ is how
  /// far the measurements leave the machine open.
  std::vector<simulator::Machine> refits;
  double lack = 0;                         ///< of what the model lacks
  double between_jobs = 0;                 ///< of jobs on a network that others use, too
  double least_bytes = 1, most_bytes = 1;  ///< of the messages that were measured
  Rank ranks = 2;                          ///< that were measured
};

struct MachineFile {
  simulator::Machine machine;
  std::string topology;   ///< as stated, not measured; empty: one switch
  std::string placement;  ///< of the ranks; empty: block
  std::optional<MachineSpread> spread = {};  ///< not in older files
};

/// Reads the text of a machine file. Throws Error(usage) that names `file` and the key or line.
MachineFile parse_machine(std::string_view text, const std::string& file);

}  // namespace arlab::bench
