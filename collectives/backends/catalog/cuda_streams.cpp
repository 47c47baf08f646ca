// cuda-streams: all ranks are co-located on the GPUs of this process. Every copy and kernel is
// launched by itself.
#include "collectives/backends/gpus.hpp"
#include "collectives/gpu/colocated_executor.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

Rank max_ranks() { return kMaxDeviceRanks; }
std::string note() { return gpu_names() + ", CUDA " + cuda_versions(); }

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  run_colocated(options, false, body);
}

}  // namespace

Backend cuda_streams() {
  return {.name = "cuda-streams",
          .summary = "as cuda, but every copy and kernel is launched by itself",
          .placement = Placement::colocated,
          .vectors_per_rank = 3,
          .unavailable_reason = why_no_gpu,
          .note = note,
          .max_ranks = max_ranks,
          .devices = gpu_infos,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
