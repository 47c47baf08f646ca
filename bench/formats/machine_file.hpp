// Machine files: the numbers of a machine as TOML, which `arlab calibrate` writes and --machine
// reads. docs/simulation.md describes the keys.
#pragma once

#include <string>
#include <string_view>

#include "simulator/connections/machine.hpp"

namespace arlab::bench {

struct MachineFile {
  simulator::Machine machine;
  std::string topology;   ///< as stated, not measured; empty: one switch
  std::string placement;  ///< of the ranks; empty: block
};

/// Reads the text of a machine file. Throws Error(usage) that names `file` and the key or line.
MachineFile parse_machine(std::string_view text, const std::string& file);

}  // namespace arlab::bench
