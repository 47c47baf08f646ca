// Schedule files: schedules as JSON, as `arlab export --format json` writes them.
#pragma once

#include <string>

#include "algorithms/verify/script.hpp"

namespace arlab::bench {

/// Reads a schedule. Throws Error(usage) that names the file and, for a wrong part, lane, rank, round
/// and action.
Script read_schedule(const std::string& path);

}  // namespace arlab::bench
