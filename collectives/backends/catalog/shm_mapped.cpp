// shm-mapped: like shm, and all ranks map the vectors themselves, so that no message is copied.
#include "algorithms/base/error.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/host/host_executor.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi/shared/shared_communicator.hpp"
#endif

namespace arlab::collectives::backend_catalog {
namespace {

Rank max_ranks() { return 1; }

#ifdef ARLAB_HAS_MPI

void run(Job& job, const RunOptions&, const Backend::Body& body) {
  const auto communicator = shared_communicator(job.world(), {.maps_vectors = true});
  HostExecutor executor(*communicator);
  body(executor);
}

#else

void run(Job&, const RunOptions&, const Backend::Body&) { fail(Blame::environment, why_no_mpi()); }

#endif

}  // namespace

Backend shm_mapped() {
  return {.name = "shm-mapped",
          .summary = "like shm, with vectors that all processes map: nothing is copied",
          .placement = Placement::processes,
          .joins_job = true,
          .unavailable_reason = why_no_mpi,
          .note = mpi_library,
          .max_ranks = max_ranks,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
