// peer: one kernel per GPU runs the whole schedule, and reads its peers' memory. All ranks are
// co-located on the GPUs of this process; in an MPI job, each has its own GPU and process.
#include "collectives/backends/gpus.hpp"
#include "collectives/gpu/peer_processes.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  const PeerOptions peer{.patience = options.patience.seconds};
  if (job.ranks() == 0) return run_colocated(options, true, body, peer);
  const auto connect = [&](Communicator& control, Device& device, RankExecutor::Seconds) {
    return std::make_unique<PeerProcesses>(control, device, peer);
  };
  run_on_gpus(job, options, connect, body);
}

}  // namespace

Backend peer() {
  Backend backend =
      colocated_backend("peer",
                        "a schedule is one kernel per GPU; co-located ranks, or under "
                        "mpirun one GPU per rank, on one machine",
                        run);
  backend.joins_job = true;
  return backend;
}

}  // namespace arlab::collectives::backend_catalog
