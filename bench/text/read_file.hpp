// Reads whole files that the command line names.
#pragma once

#include <string>

namespace arlab::bench {

/// Returns the content. Throws Error(environment) with the reason of the system and `remedy`.
std::string read_file(const std::string& path, const std::string& remedy);

}  // namespace arlab::bench
