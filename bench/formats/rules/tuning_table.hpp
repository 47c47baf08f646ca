// The tuning table as a file that the command line names.
#pragma once

#include <string>

#include "collectives/plugins/tuning_table.hpp"

namespace arlab::bench {

using collectives::parse_tuning_table;
using collectives::TunedChoice;
using collectives::TuningTable;

/// Throws Error(environment) if the file cannot be read, and the errors of parse_tuning_table().
TuningTable read_tuning_table(const std::string& path);

}  // namespace arlab::bench
