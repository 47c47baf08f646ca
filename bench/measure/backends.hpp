// Backends: what runs collectives for real here, and what is missing for the others.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

struct Backend {
  std::string_view name;
  std::string_view summary;
  std::string (*why_off)();  ///< why it cannot be used here and how to get it; empty if it can
  std::string (*note)();     ///< what it runs on, where it is on
};

std::span<const Backend> backends();
/// Throws Error(usage) naming the nearest where there is none of that name.
const Backend& find_backend(std::string_view name);

/// Why MPI cannot be used here and how to get it; empty if it can.
std::string why_no_mpi();
/// The MPI library's name and version; empty where arlab was built without MPI.
std::string mpi_library();

}  // namespace arlab::bench
