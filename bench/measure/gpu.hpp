// What the program knows of GPUs, also where it was built without CUDA or NCCL.
#pragma once

#include <memory>
#include <string>

#include "bench/results/record.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::bench {

/// Why GPUs (or NCCL on them) cannot be used here and how to get them; empty if they can.
std::string why_no_gpu();
std::string why_no_nccl();

/// All visible GPUs. Throws Error(environment) with why_no_gpu().
collectives::Devices gpus();
/// See nccl.hpp. Throws Error(environment) with why_no_nccl().
std::unique_ptr<collectives::DeviceTransport> connect_nccl(collectives::Communicator& control,
                                                           collectives::Device& device);

/// The names of all visible GPUs, such as "2 x NVIDIA H100 80GB HBM3"; empty where there is none.
std::string gpu_names();
std::string cuda_versions();    ///< empty without CUDA
std::string nccl_of_program();  ///< the version; empty without NCCL

/// The rate at which a GPU copies its own memory, in bytes read and written, in GB/s: measured once
/// a process, with CUDA's own copy.
double copy_limit_gbps();

/// The keys about GPUs in a context record: gpu, gpu_links, copy_limit_gb_per_s, cuda, nccl.
Json gpu_context();

}  // namespace arlab::bench
