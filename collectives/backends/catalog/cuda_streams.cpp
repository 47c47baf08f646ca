// cuda-streams: all ranks are co-located on the GPUs of this process. Every copy and kernel is
// launched by itself.
#include "collectives/backends/gpus.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  run_colocated(options, false, body);
}

}  // namespace

Backend cuda_streams() {
  return colocated_backend("cuda-streams",
                           "as cuda, but every copy and kernel is launched by itself", run);
}

}  // namespace arlab::collectives::backend_catalog
