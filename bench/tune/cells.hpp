// The cells of a tuning: what each candidate takes for each number of ranks and size, measured or
// simulated by other processes of this program.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/options.hpp"
#include "bench/tune/child.hpp"
#include "bench/tune/decide.hpp"

namespace arlab::bench {

struct TuneOptions {
  SweepOptions sweep;  ///< names, ranks, sizes, segments, one type and operation
  bool simulated = false;
  std::string backend;                    ///< empty: the one of MPI jobs
  std::string launcher = "mpirun -n {}";  ///< of jobs; {} is the number of ranks
  std::string network;                    ///< words for `arlab simulate`
  int runs = 200;                         ///< of each candidate
  int launches = 2;                       ///< of each side, when the library runs with a file
};

/// Whether ranks are processes that the launcher starts.
bool uses_launcher(const TuneOptions& options);

/// Returns the command that runs these arguments of this program on so many ranks. Throws Error(usage)
/// if the launcher has no {}.
std::vector<std::string> on_ranks(const TuneOptions& options, Rank ranks,
                                  const std::vector<std::string>& arguments);

/// Returns the options for sizes, type and operation, as they were given.
std::vector<std::string> problem_words(const TuneOptions& options);

/// Measures or simulates all candidates. Throws Error(environment) if a job fails, and Error(check) if
/// one gives wrong results. Candidates of the library that would fall back to another algorithm are left
/// out.
std::vector<TuneCell> tune_cells(const TuneOptions& options, const TemporaryFolder& folder);

}  // namespace arlab::bench
