// DeviceTransport: how messages travel between devices of different ranks, and the collectives of the
// library that carries them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

/// One end of a message between ranks, on device memory.
struct SendRecv {
  bool sends = false;
  Rank peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

class PeerRun;
struct DeviceSchedule;

class DeviceTransport {
 public:
  virtual ~DeviceTransport() = default;
  /// Performs all calls of one group, in the stream's order.
  virtual void exchange(std::span<const SendRecv> calls, DeviceStream& stream) = 0;
  /// Whether exchange() may be captured in a graph. All ranks then capture the same.
  virtual bool is_capturable() const { return false; }

  /// Whether kernels carry all messages of a collective by themselves: plan() then replaces exchange().
  virtual bool runs_plans() const { return false; }
  /// Returns a schedule on this rank's memory, ready to be launched. All ranks call it together.
  virtual std::shared_ptr<PeerRun> plan(const DeviceSchedule& schedule, std::byte* data,
                                        std::byte* scratch);
  /// Called by all ranks together when no plan() uses memory that has been freed.
  virtual void free_memory() {}

  /// Throws asynchronous errors, such as a lost peer.
  virtual void check() {}
  /// Cancels all messages in progress, so that nothing waits forever.
  virtual void abort() {}

  /// Memory for the vector of the library's own collectives, on which it is fastest.
  virtual DeviceMemory allocate(Device& device, std::size_t bytes) {
    return device.allocate(bytes);
  }

  /// How messages reach device memory, where there are several ways; else empty.
  virtual std::string description() const { return ""; }
  /// See Executor.
  virtual std::string native_name() const { return ""; }
  /// The algorithm that the library reports for its last allreduce of that size; empty if unknown.
  virtual std::string native_choice(Count /*bytes*/) const { return ""; }
  /// See Executor.
  virtual std::vector<std::string> native_algorithms();
  /// See Executor. May enqueue an allreduce of `element`, which has room for one.
  virtual std::string native_unsupported(const std::string& /*spec*/, Operand /*operand*/,
                                         std::byte* /*element*/, DeviceStream& /*stream*/) {
    return "";
  }
  /// From now on, the library's own allreduce runs this algorithm; empty: the library decides. All ranks
  /// call it together.
  virtual void use_native(const std::string& /*spec*/) {}
  virtual void native_allreduce(std::byte* data, Count elements, Operand operand,
                                DeviceStream& stream);
  /// See Communicator: by default only allreduce has a native form.
  virtual std::string native_name_for(const Problem& problem) const;
  virtual void native_collective(const Problem& problem, std::byte* data, Operand operand,
                                 DeviceStream& stream);
};

}  // namespace arlab::collectives
