// The table [interval] of a machine file: what intervals of predictions need.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "bench/formats/machine_file.hpp"

namespace arlab::bench {

/// Returns the table as text. The refits have the curves of one machine at its sizes.
std::string spread_text(const MachineSpread& spread);

/// Reads the table, whose refits differ from `machine` in what a measurement leaves open. Throws
/// Error(usage) that names `file` and the key or line.
MachineSpread spread_of(const toml::table& root, const std::string& file,
                        const simulator::Machine& machine);

}  // namespace arlab::bench
