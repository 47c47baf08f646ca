// peer: all ranks are co-located on the GPUs of this process. One kernel per GPU runs the whole schedule,
// and reads its peers' memory.
#include "collectives/backends/gpus.hpp"
#include "collectives/gpu/colocated_executor.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

Rank max_ranks() { return kMaxDeviceRanks; }
std::string note() { return gpu_names() + ", CUDA " + cuda_versions(); }

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  run_colocated(options, true, body, PeerOptions{.patience = options.patience.seconds});
}

}  // namespace

Backend peer() {
  return {
      .name = "peer",
      .summary = "co-located ranks on the GPUs of this process; a schedule is one kernel per GPU",
      .placement = Placement::colocated,
      .vectors_per_rank = 3,
      .unavailable_reason = why_no_gpu,
      .note = note,
      .max_ranks = max_ranks,
      .devices = gpu_infos,
      .run = run};
}

}  // namespace arlab::collectives::backend_catalog
