#include "collectives/backends/shared_memory.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/backends/gloo.hpp"
#include "collectives/host/host_executor.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/shm/shared_communicator.hpp"
#endif

namespace arlab::collectives {

#ifdef ARLAB_HAS_MPI

void run_on_shared_memory(Job& job, const RunOptions& options, bool maps_vectors,
                          const Backend::Body& body) {
  const auto communicator = shared_communicator(job.world(), {.maps_vectors = maps_vectors});
  HostExecutor executor(*communicator, connect_gloo(options.patience));
  body(executor);
}

#else

void run_on_shared_memory(Job&, const RunOptions&, bool, const Backend::Body&) {
  fail(Blame::environment, why_no_mpi());
}

#endif

}  // namespace arlab::collectives
