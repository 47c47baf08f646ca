#include "collectives/backends/gpus.hpp"

#include <map>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/local_rank.hpp"
#include "collectives/threads/threads.hpp"
#ifdef ARLAB_HAS_CUDA
#include "collectives/cuda/device.hpp"
#endif
#ifdef ARLAB_HAS_NCCL
#include "collectives/nccl/nccl.hpp"
#endif

namespace arlab::collectives {

#ifdef ARLAB_HAS_CUDA

std::string why_no_gpu() { return cuda::unavailable(); }
Devices gpus() { return cuda::devices(); }
std::unique_ptr<Device> gpu(int index) { return cuda::device(index); }
std::vector<DeviceInfo> gpu_infos() {
  static const std::vector<DeviceInfo> infos = cuda::infos();  // each takes milliseconds
  return infos;
}
std::string cuda_versions() { return cuda::versions(); }
std::string gpu_links() { return cuda::links(); }

double gpu_copy_limit() {
  static const double limit = cuda::copy_limit_gbps(*gpu(0));
  return limit;
}
double gpu_copy_limit(Device& gpu, std::size_t bytes) { return cuda::copy_limit_gbps(gpu, bytes); }

#else

std::string why_no_gpu() {
  return "built without CUDA: install the CUDA toolkit (nvcc), then configure again";
}
Devices gpus() { fail(Blame::environment, why_no_gpu()); }
std::unique_ptr<Device> gpu(int) { fail(Blame::environment, why_no_gpu()); }
std::vector<DeviceInfo> gpu_infos() { fail(Blame::environment, why_no_gpu()); }
std::string cuda_versions() { return ""; }
std::string gpu_links() { return ""; }
double gpu_copy_limit() { fail(Blame::environment, why_no_gpu()); }
double gpu_copy_limit(Device&, std::size_t) { fail(Blame::environment, why_no_gpu()); }

#endif

std::string nccl_version_or_none() {
#ifdef ARLAB_HAS_NCCL
  return nccl_version();
#else
  return "";
#endif
}

Rank gpu_count() { return why_no_gpu().empty() ? static_cast<Rank>(gpu_infos().size()) : 0; }

std::string gpu_names() {
  if (!why_no_gpu().empty()) return "";
  std::map<std::string, int> counts;
  for (const DeviceInfo& info : gpu_infos()) ++counts[info.name];
  std::string text;
  for (const auto& [name, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
  return text;
}

void run_on_gpus(Job& job, const RunOptions& options, const Connect& connect,
                 const Backend::Body& body) {
  const double seconds = options.patience.seconds;
  const RankExecutor::Seconds patience(seconds > 0 ? seconds : 1e9);
  const auto count = static_cast<Rank>(gpu_infos().size());
  // NCCL refuses ranks that share a GPU, unless it takes them for different machines.
  const auto run_rank = [&](Communicator& control, Rank local) {
    const auto device = gpu(gpu_of(local, count));
    const auto transport = connect(control, *device, patience);
    StagedExecutor executor(control, *device, *transport, patience);
    body(executor);
  };
  if (job.ranks() > 0) return run_rank(job.world(), job.local_rank());
  on_threads(
      options.ranks, [&](Communicator& threads) { run_rank(threads, threads.rank()); },
      options.patience);
}

Backend colocated_backend(std::string_view name, std::string_view summary,
                          decltype(Backend::run) run) {
  return {.name = name,
          .summary = summary,
          .placement = Placement::colocated,
          .vectors_per_rank = 3,
          .unavailable_reason = why_no_gpu,
          .note = [] { return gpu_names() + ", CUDA " + cuda_versions(); },
          .max_ranks = [] { return kMaxDeviceRanks; },
          .devices = gpu_infos,
          .run = std::move(run)};
}

void run_colocated(const RunOptions& options, bool as_graphs, const Backend::Body& body,
                   std::optional<PeerOptions> peer) {
  Devices devices = gpus();
  ColocatedExecutor executor(devices, options.ranks, ColocatedExecutor::kDefaultStreams, as_graphs,
                             peer);
  body(executor);
}

}  // namespace arlab::collectives
