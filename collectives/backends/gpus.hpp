// The GPUs of this process, and the versions of CUDA and NCCL, also in builds without them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/backends/backend.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/gpu/peer_schedule.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// Returns why GPUs cannot be used here, and a remedy; empty if they can.
std::string why_no_gpu();

/// Opens all visible GPUs, or one of them. Throws Error(environment) with why_no_gpu().
Devices gpus();
std::unique_ptr<Device> gpu(int index);
/// What the visible GPUs are, without opening them; asked once per process. Throws likewise.
std::vector<DeviceInfo> gpu_infos();
/// Number of visible GPUs; 0 if they cannot be used.
Rank gpu_count();

/// Names of all visible GPUs, such as "2 x NVIDIA H100 80GB HBM3"; empty if there are none.
std::string gpu_names();
/// How the GPUs reach one another; empty for a single one.
std::string gpu_links();
std::string cuda_versions();         ///< empty without CUDA
std::string nccl_version_or_none();  ///< empty without NCCL

/// Rate at which a GPU copies its own memory, as bytes read and written, in GB/s. Measured once per
/// process, with CUDA's own copy.
double gpu_copy_limit();
/// The same of a vector of that size, measured now.
double gpu_copy_limit(Device& gpu, std::size_t bytes);

/// Connects one rank's device to those of all ranks of `control`, or gives up after `patience`.
using Connect = std::function<std::unique_ptr<DeviceTransport>(
    Communicator& control, Device& device, RankExecutor::Seconds patience)>;

/// Runs `body` on ranks with a GPU each: on all processes of the job, else on threads.
void run_on_gpus(Job& job, const RunOptions& options, const Connect& connect,
                 const Backend::Body& body);
/// Returns a backend whose ranks are co-located on the GPUs of this process.
Backend colocated_backend(std::string_view name, std::string_view summary,
                          decltype(Backend::run) run);
/// Runs `body` on such ranks. `peer`: kernels run whole plans.
void run_colocated(const RunOptions& options, bool as_graphs, const Backend::Body& body,
                   std::optional<PeerOptions> peer = {});

}  // namespace arlab::collectives
