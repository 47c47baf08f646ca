// Launcher: the rank of this process, by the environment that mpirun and srun set.
#pragma once

#include <optional>

#include "algorithms/problem.hpp"

namespace arlab::bench {

struct LaunchedRank {
  Rank rank = 0, ranks = 1;
};

/// Returns the rank and the number of ranks; nullopt if no launcher named both. Commands that do
/// not communicate ignore them, unless a sweep is to be shared.
std::optional<LaunchedRank> launched_rank();

/// Returns the same. Throws Error(usage) that names the variables if they are missing or wrong.
LaunchedRank expect_launched_rank();

/// Throws Error(usage) if srun started several tasks of this program, which do not form an MPI job:
/// each would run alone. `ranks`: of the MPI job; 0 without one.
void expect_one_job(Rank ranks);

}  // namespace arlab::bench
