// The text of a machine file, with comments, the measured times, and their origin.
#pragma once

#include <string>
#include <vector>

#include "bench/calibrate/fit.hpp"
#include "bench/formats/machine_file.hpp"

namespace arlab::bench {

/// Where and how a machine was measured.
struct Provenance {
  std::string date, version, backend, library, command;
  std::vector<std::string> hosts;  ///< by rank
};

/// Returns the text, which parse_machine() reads. Of `network`, only the stated network and the
/// spread count.
std::string to_toml(const MachineFile& network, const Fit& fit, const ProbeTimes& times,
                    const Provenance& provenance);

}  // namespace arlab::bench
