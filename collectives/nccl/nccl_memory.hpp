// NcclMemory: memory that NCCL allocates, and registers as a window of its communicators.
//
// Of such memory the GPUs of one NVLink domain read and write one another's directly, and NCCL has
// its fastest allreduce (2.27 and later); other memory passes through buffers of NCCL's own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "collectives/nccl/nccl_comm.hpp"

namespace arlab::collectives {

class NcclMemory {
 public:
  /// Memory of the device, which must be freed before its communicators end. Throws
  /// Error(environment) where there is not enough.
  DeviceMemory allocate(Device& device, std::size_t bytes);
  /// Registers all that was allocated. All ranks call it together. Throws Error(environment) with
  /// NCCL's text.
  void register_with(NcclComm& comm);
  /// The communicator is about to end.
  void forget(const NcclComm& comm);
  /// Returns how the communicator knows this memory: "registered window", or "memory without a
  /// window".
  std::string kind_of(const NcclComm& comm, const std::byte* data) const;

 private:
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  using Window = ncclWindow_t;
#else
  using Window = void*;
#endif
  struct Block {
    std::size_t size = 0;
    std::map<NcclComm*, Window> windows;  ///< null: NCCL makes none of it here
  };
  using Blocks = std::map<const std::byte*, Block>;

  std::shared_ptr<Blocks> blocks_ = std::make_shared<Blocks>();
};

}  // namespace arlab::collectives
