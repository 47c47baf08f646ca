// mpi-cuda: one GPU per rank, messages through MPI: from device memory where the library can, else
// staged through host memory.
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi/transport.hpp"
#endif

#include "algorithms/base/error.hpp"
#include "collectives/backends/gpus.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

std::string unavailable() {
  const std::string why = why_no_mpi();
  return why.empty() ? why_no_gpu() : why;
}

#ifdef ARLAB_HAS_MPI

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  const auto connect = [](Communicator& world, Device& device, RankExecutor::Seconds) {
    return mpi_transport(world, device, why_mpi_cannot_send_from(world, device).empty());
  };
  run_on_gpus(job, options, connect, body);
}

#else

void run(Job&, const RunOptions&, const Backend::Body&) { fail(Blame::environment, unavailable()); }

#endif

}  // namespace

Backend mpi_cuda() {
  return {.name = "mpi-cuda",
          .summary =
              "one GPU per rank, messages through MPI: directly where it can, else through "
              "the host",
          .placement = Placement::processes,
          .joins_job = true,
          .vectors_per_rank = 3,
          .unavailable_reason = unavailable,
          .note = mpi_library,
          .max_ranks = [] { return Rank{1}; },
          .devices = gpu_infos,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
