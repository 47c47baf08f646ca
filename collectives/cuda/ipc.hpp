// Memory of GPUs across processes of one machine, by CUDA IPC.
//
// A handle names an allocation of cudaMalloc. Another process opens it, and its GPU then reads and
// writes that memory as a peer's. It must be closed there before it is freed here.
#pragma once

#include <cstddef>
#include <string>

#include "collectives/gpu/device.hpp"

namespace arlab::collectives::cuda {

/// Returns why GPU `index` shares no memory with other processes, and a remedy; empty if it does.
std::string why_no_ipc(int index);

// The next three are for the current device.

/// `base`: where an allocation begins. Throws Error(environment) with CUDA's reason.
SharedDeviceMemory ipc_handle(std::byte* base);
/// Throws Error(environment) with CUDA's reason.
std::byte* open_ipc(const SharedDeviceMemory& memory);
void close_ipc(std::byte* base);

}  // namespace arlab::collectives::cuda
