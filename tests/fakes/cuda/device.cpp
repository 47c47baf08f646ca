// Devices, errors and memory.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/cuda/machine.hpp"
#include "tests/fakes/cuda/tasks.hpp"

using namespace arlab::fake_cuda;

namespace arlab::fake_cuda {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

bool exists(int device) { return device >= 0 && device < machine().options.devices; }

/// Waits as cudaFree does: for the device, and for all that read it or that it reads.
bool wait_for_device(std::unique_lock<std::mutex>& lock, int device, const char* doing) {
  Machine& m = machine();
  if (!m.options.frees_wait) return !m.broken;
  return wait_until(
      lock,
      [&, device] {
        for (int other = 0; other < m.options.devices; ++other)
          if ((other == device || m.peers.contains({device, other}) ||
               m.peers.contains({other, device})) &&
              !is_idle(other))
            return false;
        return true;
      },
      doing);
}

cudaError_t allocate(void** data, std::size_t bytes, int device, const char* doing) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  if (!wait_for_device(lock, current_device(), doing)) return returned(cudaErrorLaunchFailure);
  m.contexts.insert(current_device());
  if (device != kHost && m.used[static_cast<std::size_t>(device)] + bytes > m.options.memory)
    return returned(cudaErrorMemoryAllocation);
  static std::uint64_t ids = 0;
  Allocation allocation{bytes, device, ++ids, current_process(), -1};
  if (allocation.process != 0 && device != kHost)
    *data = map_pages(bytes, allocation.file);
  else if (posix_memalign(data, 256, bytes) != 0)
    *data = nullptr;
  if (!*data) return returned(cudaErrorMemoryAllocation);
  std::memset(*data, 0xa7, bytes < (1u << 20) ? bytes : 1u << 20);  // arbitrary contents
  m.memory[static_cast<std::byte*>(*data)] = allocation;
  if (device != kHost) m.used[static_cast<std::size_t>(device)] += bytes;
  return cudaSuccess;
}

cudaError_t release(void* data, bool pinned, const char* doing) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  if (!data) return cudaSuccess;
  const auto block = m.memory.find(static_cast<std::byte*>(data));
  if (block == m.memory.end() || (block->second.device == kHost) != pinned) {
    m.complain(std::string(doing) + " of memory that was freed before, or never allocated so");
    return returned(cudaErrorInvalidValue);
  }
  const Allocation allocation = block->second;
  const bool done = wait_for_device(lock, pinned ? current_device() : allocation.device, doing);
  m.memory.erase(static_cast<std::byte*>(data));
  if (!pinned) m.used[static_cast<std::size_t>(allocation.device)] -= allocation.size;
  if (allocation.file < 0) {
    std::free(data);
  } else {
    expect_closed(allocation);
    close(allocation.file);
    unmap_pages(data, allocation.size);
  }
  return done ? cudaSuccess : returned(cudaErrorLaunchFailure);
}

}  // namespace

cudaError_t returned(cudaError_t code) {
  if (code != cudaSuccess && code != cudaErrorNotReady) last_error = code;
  return code;
}

}  // namespace arlab::fake_cuda

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

const char* cudaGetErrorName(cudaError_t code) {
  switch (code) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorStreamCaptureUnjoined:
      return "cudaErrorStreamCaptureUnjoined";
    default:
      return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t code) { return cudaGetErrorName(code); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = machine().options.devices;
  return *count == 0 ? returned(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (!exists(device)) return returned(cudaErrorInvalidDevice);
  m.contexts.insert(device);  // since CUDA 12
  current_device() = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (!exists(device)) return returned(cudaErrorInvalidDevice);
  switch (which) {
    case cudaDevAttrMultiProcessorCount:
      *value = machine().options.multiprocessors;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrIpcEventSupport:
      *value = machine().options.ipc ? 1 : 0;
      break;
    case cudaDevAttrComputeMode:
      *value = cudaComputeModeDefault;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = machine().options.capability / 10;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = machine().options.capability % 10;
      break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      *value = 1'000'000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 512;
      break;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int from, int to) {
  if (!exists(from) || !exists(to) || from == to) return returned(cudaErrorInvalidDevice);
  *value = machine().options.peers ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (!exists(peer) || peer == current_device()) return returned(cudaErrorInvalidDevice);
  if (!m.options.peers) return returned(cudaErrorPeerAccessUnsupported);
  m.contexts.insert(peer);
  if (m.peers.insert({current_device(), peer}).second) return cudaSuccess;
  m.complain("peer access of a pair was enabled again, which memcheck reports");
  return returned(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!exists(device)) return returned(cudaErrorInvalidDevice);
  std::snprintf(properties->name, sizeof(properties->name), "CUDA stand-in");
  std::memset(properties->uuid.bytes, 0, sizeof(properties->uuid.bytes));
  properties->uuid.bytes[15] = static_cast<char>(device + 1);
  properties->totalGlobalMem = machine().options.memory;
  properties->major = machine().options.capability / 10;
  properties->minor = machine().options.capability % 10;
  properties->multiProcessorCount = machine().options.multiprocessors;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0",
                static_cast<unsigned>(device & 0xff));
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return allocate(data, bytes, current_device(), "cudaMalloc");
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return allocate(data, bytes, kHost, "cudaHostAlloc");
}
cudaError_t cudaFree(void* data) { return release(data, false, "cudaFree"); }
cudaError_t cudaFreeHost(void* data) { return release(data, true, "cudaFreeHost"); }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  m.contexts.insert(current_device());
  *total = m.options.memory;
  *free = *total - m.used[static_cast<std::size_t>(current_device())];
  return cudaSuccess;
}
