#include "collectives/nccl/nccl_memory.hpp"

#include <utility>

#include "algorithms/base/text.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"

namespace arlab::collectives {

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)

namespace {

constexpr std::size_t kGranule = 4096;  // NCCL_WIN_REQUIRED_ALIGNMENT

void deregister(const NcclComm& comm, ncclWindow_t window) {
  if (window && comm.handle()) ncclCommWindowDeregister(comm.handle(), window);
}

}  // namespace

DeviceMemory NcclMemory::allocate(Device& device, std::size_t bytes) {
  if (bytes == 0) return device.allocate(0);
  cuda::use_device(cuda::index_of(device));
  void* data = nullptr;
  const std::size_t size = (bytes + kGranule - 1) / kGranule * kGranule;
  if (ncclMemAlloc(&data, size) != ncclSuccess)
    fail(Blame::environment,
         concat(bytes, " bytes of NCCL's memory cannot be had (", ncclGetLastError(nullptr),
                "): use fewer ranks or a smaller size"));
  (*blocks_)[static_cast<std::byte*>(data)].size = size;
  return cuda::adopt(device, static_cast<std::byte*>(data), bytes,
                     [blocks = blocks_](std::byte* old) {
                       for (const auto& [comm, window] : blocks->at(old).windows)
                         deregister(*comm, window);
                       blocks->erase(old);
                       ncclMemFree(old);
                     });
}

void NcclMemory::register_with(NcclComm& comm) {
  for (auto& [data, block] : *blocks_) {
    if (block.windows.contains(&comm)) continue;
    ncclWindow_t window = nullptr;
    comm.call("ncclCommWindowRegister (NCCL_WIN_ENABLE=0 does without)", [&](ncclComm_t handle) {
      return ncclCommWindowRegister(handle, const_cast<std::byte*>(data), block.size, &window,
                                    NCCL_WIN_COLL_SYMMETRIC);
    });
    block.windows[&comm] = window;
  }
}

void NcclMemory::forget(const NcclComm& comm) {
  for (auto& [data, block] : *blocks_)
    std::erase_if(block.windows, [&](const auto& its) {
      if (its.first != &comm) return false;
      deregister(comm, its.second);
      return true;
    });
}

#else  // windows came with 2.27

DeviceMemory NcclMemory::allocate(Device& device, std::size_t bytes) {
  return device.allocate(bytes);
}
void NcclMemory::register_with(NcclComm&) {}
void NcclMemory::forget(const NcclComm&) {}

#endif

std::string NcclMemory::kind_of(const NcclComm& comm, const std::byte* data) const {
  auto block = blocks_->upper_bound(data);
  if (block != blocks_->begin() && data < std::prev(block)->first + std::prev(block)->second.size)
    for (const auto& [its, window] : std::prev(block)->second.windows)
      if (its == &comm && window) return "registered window";
  return "memory without a window";
}

}  // namespace arlab::collectives
