// nccl: one GPU per rank, messages through NCCL.
#ifdef ARLAB_HAS_NCCL
#include "collectives/nccl/nccl.hpp"
#endif

#include "algorithms/base/error.hpp"
#include "collectives/backends/gpus.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

std::string note() { return "NCCL " + nccl_version_or_none(); }

#ifdef ARLAB_HAS_NCCL

std::string unavailable() { return why_no_gpu(); }

void run(Job& job, const RunOptions& options, const Backend::Body& body) {
  const auto connect = [](Communicator& control, Device& device, RankExecutor::Seconds patience) {
    return nccl_transport(control, device, patience,
                          RankExecutor::Seconds(start_patience(patience.count())));
  };
  run_on_gpus(job, options, connect, body);
}

#else

std::string unavailable() {
#ifdef ARLAB_HAS_CUDA
  return "built without NCCL: apt install libnccl-dev or pip install nvidia-nccl-cu13, then "
         "configure again";
#else
  return "built without CUDA and NCCL: install the CUDA toolkit (nvcc) and libnccl-dev, then "
         "configure again";
#endif
}

void run(Job&, const RunOptions&, const Backend::Body&) { fail(Blame::environment, unavailable()); }

#endif

}  // namespace

Backend nccl() {
  return {.name = "nccl",
          .summary =
              "one GPU per rank, beside ncclAllReduce; in one process, or started by mpirun "
              "or srun",
          .placement = Placement::threads,
          .joins_job = true,
          .rank_per_device = true,
          .vectors_per_rank = 3,
          .unavailable_reason = unavailable,
          .note = note,
          .max_ranks = gpu_count,
          .devices = gpu_infos,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
