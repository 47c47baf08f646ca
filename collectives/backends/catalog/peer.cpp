// peer: all ranks are co-located on the GPUs of this process. One kernel per GPU runs the whole schedule,
// and reads its peers' memory.
#include "collectives/backends/gpus.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  run_colocated(options, true, body, PeerOptions{.patience = options.patience.seconds});
}

}  // namespace

Backend peer() {
  return colocated_backend(
      "peer", "co-located ranks on the GPUs of this process; a schedule is one kernel per GPU",
      run);
}

}  // namespace arlab::collectives::backend_catalog
