// The options of all_reduce_perf and its siblings: those of nccl-tests, and where to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

/// What the name of the program says.
struct PerfProgram {
  std::string name;  ///< "all_reduce_perf"
  Collective collective = Collective::allreduce;
  bool has_op = true;     ///< whether -o means something
  bool has_root = false;  ///< whether -r does
};

/// Returns the program of that path, such as "/usr/bin/all_reduce_perf_mpi"; its name is empty if
/// it is none of them.
PerfProgram perf_program(std::string path);

struct PerfOptions {
  PerfProgram program;
  std::vector<std::string> command;  ///< the words of the command line
  int threads = 1, gpus = 1;         ///< per process; their product is its number of ranks
  std::int64_t min_bytes = 32 << 20, max_bytes = 32 << 20, step_bytes = 1 << 20;
  int step_factor = 1;
  int iterations = 20, warm_ups = 1, aggregated = 1, cycles = 1;
  int check = 1;
  std::string op = "sum", dtype = "float", root = "0";
  int blocking = 0, graph = 0, cpu_time = 0, time_stamps = 0, average = 1;
  int parallel_init = 0, unalign = 0;
  double timeout = 0;                        ///< seconds; 0: the program's own
  std::string json;                          ///< file; empty: none
  std::string algorithm, backend, topology;  ///< ours; empty: chosen here

  /// Runs back to back that are waited for once; 1 if every run is waited for.
  int streamed() const { return blocking == 1 || blocking == 3 ? 1 : iterations * aggregated; }
  /// Samples of streamed() runs that together are all iterations.
  int samples() const { return streamed() == 1 ? iterations * aggregated : 1; }
  /// Throws Error that names a value that cannot be used, or the file if it cannot be written.
  void check_values() const;
  /// Returns threads * gpus. Throws Error(usage) if they are too many.
  Rank ranks() const;
  std::vector<std::int64_t> sizes() const;
  std::vector<collectives::DType> dtypes() const;
  /// The operations; sum, which is not printed, for a collective without one.
  std::vector<collectives::Op> ops() const;
  std::vector<Rank> roots(Rank ranks) const;
};

/// Reads the command line. Throws Error(usage) that names a bad option or value. Returns false if
/// it asked for help, which is then printed.
bool parse_perf(const std::vector<std::string>& words, PerfOptions& options);

/// nccl-tests' name of a type: "half".
std::string perf_name(collectives::DType dtype);

}  // namespace arlab::bench
