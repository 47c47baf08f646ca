// What the backends on shared memory have in common.
#pragma once

#include "collectives/backends/backend.hpp"

namespace arlab::collectives {

/// Calls `body` with an executor of this process, whose messages to the others of the job pass
/// through shared memory; with `maps_vectors`, all ranks map the vectors. Throws Error(environment)
/// without MPI.
void run_on_shared_memory(Job& job, const RunOptions& options, bool maps_vectors,
                          const Backend::Body& body);

}  // namespace arlab::collectives
