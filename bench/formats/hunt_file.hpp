// Records of hunts in result files.
#pragma once

#include <string>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct HuntFile {
  std::string path;
  std::string date = {};  ///< empty: not known
  Json record = {};
};

/// Returns the last hunt of a file. Throws Error(usage) if there is none, or if it could not tell
/// what is slow.
HuntFile read_hunt(const std::string& path);

}  // namespace arlab::bench
