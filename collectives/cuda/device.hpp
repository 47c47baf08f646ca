// Devices that are CUDA GPUs: those that CUDA_VISIBLE_DEVICES leaves visible.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "collectives/gpu/device.hpp"

namespace arlab::collectives::cuda {

// Opening a GPU makes a context on it, which takes time and half a gigabyte of its memory.

/// Returns why no GPU can be used here, and a remedy; empty if one can. Opens none.
std::string unavailable();

/// Opens all visible GPUs; those that can, read one another's memory. Throws Error(environment)
/// where unavailable() says why, or one cannot be opened.
Devices devices();
/// Opens one of them, which reads no other's memory. Throws as devices() does, and for one that
/// does not exist.
std::unique_ptr<Device> device(int index);

/// Number of visible GPUs, and what they are; opens none. Throws Error(environment) where
/// unavailable() says why.
int device_count();
std::vector<DeviceInfo> infos();

/// How the GPUs reach one another, such as "0-1 peers, native atomics (as over NVLink)"; empty for
/// one.
std::string links();

/// The rate at which the GPU copies its own memory with CUDA's own copy, in bytes read and written,
/// in GB/s: what kernels that read and write memory are measured by, as median_microseconds() does.
/// `bytes`: by default far beyond the caches; less where that is not free.
double copy_limit_gbps(Device& device, std::size_t bytes = std::size_t{512} << 20);

/// The runtime that this program was built with and the driver's, such as "13.0, driver 13.1".
std::string versions();

/// Memory that another library has allocated on the device, and frees with `free`.
DeviceMemory adopt(Device& device, std::byte* data, std::size_t bytes, DeviceMemory::Release free);

/// The CUDA stream behind a stream of devices().
cudaStream_t handle(DeviceStream& stream);
/// The index that CUDA has for a device of devices().
int index_of(const Device& device);

}  // namespace arlab::collectives::cuda
