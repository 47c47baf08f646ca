// shm: every rank is a process of an MPI job; messages within a machine pass through shared memory.
#include "collectives/backends/shared_memory.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  run_on_shared_memory(job, options, false, body);
}

}  // namespace

Backend shm() {
  return {.name = "shm",
          .summary = "every rank is a process; those of a machine read one another's memory",
          .placement = Placement::processes,
          .joins_job = true,
          .unavailable_reason = why_no_mpi,
          .note = mpi_library,
          .max_ranks = [] { return Rank{1}; },
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
