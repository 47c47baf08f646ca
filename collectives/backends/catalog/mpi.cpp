// mpi: every rank is a process of an MPI job.
#include "collectives/backends/backend.hpp"
#include "collectives/backends/gloo.hpp"
#include "collectives/host/host_executor.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  HostExecutor executor(job.world(), connect_gloo(options.patience));
  body(executor);
}

}  // namespace

Backend mpi() {
  return {.name = "mpi",
          .summary = "every rank is a process, started by mpirun or srun",
          .placement = Placement::processes,
          .joins_job = true,
          .default_in_job = true,
          .unavailable_reason = why_no_mpi,
          .note = mpi_library,
          .max_ranks = [] { return Rank{1}; },
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
