// Schedule files: schedules as JSON or as MSCCL XML, as `arlab export` writes them.
#pragma once

#include <string>

#include "algorithms/verify/script.hpp"

namespace arlab::bench {

/// Reads a schedule. Throws Error(usage) that names the file and, for a wrong part, lane, rank,
/// round and action, or gpu, tb and step.
Script read_schedule(const std::string& path);

/// The same of a file's content. XML begins with '<'.
Script parse_schedule(const std::string& content, const std::string& path);

}  // namespace arlab::bench
