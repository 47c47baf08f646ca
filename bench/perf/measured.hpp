// Rows of nccl-tests' table, measured on a backend or simulated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/measure/job.hpp"
#include "bench/perf/json.hpp"
#include "bench/perf/options.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

/// Who receives the devices once, and then each row as it is measured; only on rank 0.
struct PerfSink {
  std::function<void(const std::vector<PerfDevice>&, const std::string& what)> devices;
  std::function<void(const PerfRow&)> row;
};

/// Measures all rows on real ranks. All processes of a job call it.
void measure_perf(const PerfOptions& options, Job& job, const PerfSink& sink);

/// Measures all rows with one executor of a run of `ranks` ranks on `backend`. All executors of the
/// run call it.
void measure_perf(const PerfOptions& options, collectives::Executor& executor,
                  const collectives::Backend& backend, Rank ranks, const PerfSink& sink);

/// Returns whether the library's own collective is measured on such elements. A type that it cannot
/// reduce is left out of `-d all`, with a note; throws Error(environment) with the reason if it was
/// asked for by its name. All executors of a run call it together.
bool library_takes(const PerfOptions& options, collectives::Executor& executor,
                   collectives::Operand operand);

/// Simulates all rows on the topology of the options.
void simulate_perf(const PerfOptions& options, const PerfSink& sink);

/// Calls `use(shape, problem, operand)` for each row, in nccl-tests' order: types, operations,
/// roots, sizes.
void for_all_perf_rows(
    const PerfOptions& options, Rank ranks,
    const std::function<void(const PerfShape&, const Problem&, collectives::Operand)>& use);

/// Returns an empty row of that problem.
PerfRow perf_row(const PerfOptions& options, const PerfShape& shape, const Problem& problem,
                 collectives::Operand operand);

}  // namespace arlab::bench
