// cuda: all ranks are co-located on the GPUs of this process. A schedule is captured once as a CUDA
// graph, and launched as a whole.
#include "collectives/backends/gpus.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  run_colocated(options, true, body);
}

}  // namespace

Backend cuda() {
  return colocated_backend(
      "cuda", "co-located ranks on the GPUs of this process; a schedule is one CUDA graph", run);
}

}  // namespace arlab::collectives::backend_catalog
