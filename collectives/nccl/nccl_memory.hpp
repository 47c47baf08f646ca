// NcclMemory: memory that NCCL allocates, and registers as a window of a communicator.
//
// Of such memory the GPUs of one NVLink domain read and write one another's directly, and NCCL has
// its fastest allreduce (2.27 and later); other memory passes through buffers of NCCL's own. That
// allreduce comes before any choice by NCCL_ALGO and NCCL_PROTO, so a communicator with a choice
// must have no windows.
#pragma once

#include <map>
#include <memory>

#include "collectives/nccl/nccl_comm.hpp"

namespace arlab::collectives {

class NcclMemory {
 public:
  explicit NcclMemory(NcclComm& comm) : comm_(comm) {}

  /// Memory of the device, which must be freed before the communicator ends. Throws
  /// Error(environment) where there is not enough.
  DeviceMemory allocate(Device& device, std::size_t bytes);
  /// Registers all that was allocated. All ranks call it together. Throws Error(environment) with
  /// NCCL's text.
  void register_all();
  /// Whether the communicator has registered the memory with this byte.
  bool is_registered(const std::byte* data) const;

 private:
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  using Window = ncclWindow_t;
#else
  using Window = void*;
#endif
  struct Block {
    std::size_t size = 0;
    bool was_offered = false;  ///< to NCCL, which may make no window of it
    Window window = nullptr;
  };
  using Blocks = std::map<const std::byte*, Block>;

  NcclComm& comm_;
  std::shared_ptr<Blocks> blocks_ = std::make_shared<Blocks>();
};

}  // namespace arlab::collectives
