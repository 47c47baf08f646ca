// The numbers that Open MPI gives to its allreduce algorithms in rules files.
#pragma once

#include <string_view>

#include "bench/formats/rules/open_mpi_rules.hpp"

namespace arlab::bench {

inline constexpr int kOpenMpiAllreduce = 2;  ///< the number of the collective

/// Throws Error(usage) with all names if the version does not have the algorithm.
int open_mpi_id(std::string_view algorithm, const OpenMpiVersion& version);

/// Returns the name of a number above 0; empty if the version does not have it.
std::string_view open_mpi_algorithm(int id, const OpenMpiVersion& version);

}  // namespace arlab::bench
