#include "collectives/cuda/ipc.hpp"

#include <array>
#include <cstring>

#include "algorithms/base/text.hpp"
#include "collectives/cuda/check.hpp"

namespace arlab::collectives::cuda {
namespace {

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedDeviceMemory::handle));

/// Throws unless the code is success. `remedy`: one more.
void check_ipc(cudaError_t code, const char* doing, const char* remedy = "") {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // it is reported here
  fail(Blame::environment,
       concat("CUDA IPC failed in ", doing, ": ", cudaGetErrorName(code), ", ",
              cudaGetErrorString(code),
              " (containers must share the machine's process and IPC namespaces", remedy,
              "): use nccl"));
}

}  // namespace

std::string why_no_ipc(int index) {
  int supported = 0;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, index),
        "cudaDeviceGetAttribute");
  return supported != 0 ? "" : concat("GPU ", index, " has no CUDA IPC: use nccl");
}

SharedDeviceMemory ipc_handle(std::byte* base) {
  cudaIpcMemHandle_t handle;
  check_ipc(cudaIpcGetMemHandle(&handle, base), "cudaIpcGetMemHandle");
  SharedDeviceMemory memory;
  std::memcpy(memory.handle.data(), &handle, sizeof(handle));
  return memory;
}

std::byte* open_ipc(const SharedDeviceMemory& memory) {
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, memory.handle.data(), sizeof(handle));
  void* base = nullptr;
  check_ipc(cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess),
            "cudaIpcOpenMemHandle",  // finds no GPU that Slurm has hidden from this process
            "; with Slurm: --gpu-bind=none");
  return static_cast<std::byte*>(base);
}

void close_ipc(std::byte* base) { cudaIpcCloseMemHandle(base); }

}  // namespace arlab::collectives::cuda
