// shm-mapped: like shm, and all ranks map the vectors themselves, so that no message is copied.
#include "collectives/backends/shared_memory.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  run_on_shared_memory(job, options, true, body);
}

}  // namespace

Backend shm_mapped() {
  return {.name = "shm-mapped",
          .summary = "like shm, with vectors that all processes map: nothing is copied",
          .placement = Placement::processes,
          .joins_job = true,
          .unavailable_reason = why_no_mpi,
          .note = mpi_library,
          .max_ranks = [] { return Rank{1}; },
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
