#include "collectives/nccl/nccl_memory.hpp"

#include <utility>

#include "algorithms/base/text.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"

namespace arlab::collectives {

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)

namespace {

constexpr std::size_t kGranule = 4096;  // NCCL_WIN_REQUIRED_ALIGNMENT

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
                     [blocks = blocks_, comm = &comm_](std::byte* old) {
                       if (!comm->handle())
                         comm->wait_for_abort();  // which ends its windows
                       else if (const ncclWindow_t window = blocks->at(old).window)
                         ncclCommWindowDeregister(comm->handle(), window);
                       blocks->erase(old);
                       ncclMemFree(old);
                     });
}

void NcclMemory::register_all() {
  for (auto& [data, block] : *blocks_) {
    if (std::exchange(block.was_offered, true)) continue;
    comm_.call("ncclCommWindowRegister (NCCL_WIN_ENABLE=0 does without)", [&](ncclComm_t handle) {
      return ncclCommWindowRegister(handle, const_cast<std::byte*>(data), block.size, &block.window,
                                    NCCL_WIN_COLL_SYMMETRIC);
    });
  }
}

#else  // windows came with 2.27

DeviceMemory NcclMemory::allocate(Device& device, std::size_t bytes) {
  return device.allocate(bytes);
}
void NcclMemory::register_all() {}

#endif

bool NcclMemory::is_registered(const std::byte* data) const {
  const auto next = blocks_->upper_bound(data);
  if (next == blocks_->begin()) return false;
  const auto& [begin, block] = *std::prev(next);
  return data < begin + block.size && block.window;
}

}  // namespace arlab::collectives
