// Processes, and device memory that one opens of another: the same pages at another address.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fakes/cuda/machine.hpp"
#include "tests/fakes/cuda/tasks.hpp"

namespace arlab::fake_cuda {
namespace {

/// What the handle of an allocation holds.
struct Named {
  std::uint64_t id = 0;
  int process = 0;
};

std::size_t in_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void* map_file(std::size_t bytes, int file) {
  void* const data = mmap(nullptr, in_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return data == MAP_FAILED ? nullptr : data;
}

/// Ends what the process has left behind.
void clean_up(int process) {
  Machine& m = machine();
  for (auto its = m.opened.begin(); its != m.opened.end();) {
    if (its->second.process != process) {
      ++its;
      continue;
    }
    unmap_pages(its->first, its->second.size);
    its = m.opened.erase(its);
  }
  for (auto its = m.memory.begin(); its != m.memory.end();) {
    const Allocation& block = its->second;
    if (block.process != process) {
      ++its;
      continue;
    }
    if (block.device != kHost) {
      m.used[static_cast<std::size_t>(block.device)] -= block.size;
      close(block.file);
      unmap_pages(const_cast<std::byte*>(its->first), block.size);
    } else {
      std::free(const_cast<std::byte*>(its->first));
    }
    its = m.memory.erase(its);
  }
}

}  // namespace

int& current_process() {
  thread_local int process = 0;
  return process;
}

void* map_pages(std::size_t bytes, int& file) {
  file = memfd_create("device memory", 0);
  if (file < 0) return nullptr;
  if (ftruncate(file, static_cast<off_t>(in_pages(bytes))) == 0)
    if (void* const data = map_file(bytes, file)) return data;
  close(file);
  return nullptr;
}

void unmap_pages(void* data, std::size_t bytes) { munmap(data, in_pages(bytes)); }

void expect_closed(const Allocation& allocation) {
  for (const auto& [address, its] : machine().opened)
    if (its.id == allocation.id)
      machine().complain("memory was freed that process " + std::to_string(its.process) +
                         " has open");
}

Process::Process() {
  const std::lock_guard lock(machine().mutex);
  static int last = 0;
  current_process() = ++last;
  add_process();
}

Process::~Process() {
  const std::lock_guard lock(machine().mutex);
  if (dies_) clean_up(current_process());
  current_process() = 0;
  remove_process();
}

}  // namespace arlab::fake_cuda

using namespace arlab::fake_cuda;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* data) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (!m.options.ipc) return returned(cudaErrorNotSupported);
  const auto block = m.memory.find(static_cast<std::byte*>(data));
  if (block == m.memory.end() || block->second.device == kHost) {
    m.complain("a handle of what is not where an allocation of device memory begins");
    return returned(cudaErrorInvalidValue);
  }
  const Named named{block->second.id, block->second.process};
  std::memset(handle, 0, sizeof(*handle));
  std::memcpy(handle, &named, sizeof(named));
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** data, cudaIpcMemHandle_t handle, unsigned flags) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (!m.options.ipc) return returned(cudaErrorNotSupported);
  if (flags != cudaIpcMemLazyEnablePeerAccess) return returned(cudaErrorInvalidValue);
  Named named;
  std::memcpy(static_cast<void*>(&named), &handle, sizeof(named));
  if (named.process == current_process()) return returned(cudaErrorDeviceUninitialized);
  for (auto& [address, its] : m.opened)
    if (its.id == named.id && its.process == current_process()) {
      ++its.count;
      *data = address;
      return cudaSuccess;
    }
  const auto block = std::find_if(m.memory.begin(), m.memory.end(),
                                  [&](const auto& its) { return its.second.id == named.id; });
  if (block == m.memory.end()) {
    m.complain("memory was opened that its process has freed");
    return returned(cudaErrorInvalidResourceHandle);
  }
  const Allocation& its = block->second;
  if (its.device != current_device()) {
    if (!m.options.peers) return returned(cudaErrorPeerAccessUnsupported);
    m.peers.insert({current_device(), its.device});
  }
  *data = map_file(its.size, its.file);
  m.opened[*data] = {its.id, current_process(), its.size, 1};
  return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void* data) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  const auto its = m.opened.find(data);
  if (its == m.opened.end() || its->second.process != current_process()) {
    m.complain("memory was closed that this process does not have open");
    return returned(cudaErrorInvalidValue);
  }
  if (!is_idle(current_device()))
    m.complain("memory of another process was closed while the device works");
  if (--its->second.count > 0) return cudaSuccess;
  unmap_pages(data, its->second.size);
  m.opened.erase(its);
  return cudaSuccess;
}
