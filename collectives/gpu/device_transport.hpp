// DeviceTransport: how messages travel between devices of different ranks, and the collectives of
// the library that carries them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "algorithms/problem.hpp"
#include "collectives/baseline.hpp"
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

  /// Returns a schedule on this rank's memory, ready to be launched. All ranks call it together.
  virtual std::shared_ptr<PeerRun> plan(const DeviceSchedule& schedule, std::byte* data,
                                        std::byte* scratch);
  /// Called by all ranks together when no plan() uses memory that has been freed.
  virtual void free_memory() {}

  /// Throws asynchronous errors, such as a lost peer.
  virtual void check() {}
  /// Cancels all messages in progress, so that nothing waits forever.
  virtual void abort() {}

  /// The own collectives of the library, on device memory, in this stream, which outlives their
  /// use.
  virtual Baseline& baseline(DeviceStream& /*stream*/) { return no_baseline(); }
  /// Memory for the vector of these, on which they are fastest.
  virtual DeviceMemory allocate(Device& device, std::size_t bytes) {
    return device.allocate(bytes);
  }

  struct Traits {
    /// How messages reach device memory, where there are several ways; else empty.
    std::string description = {};
    bool is_capturable =
        false;  ///< exchange() may be captured in a graph. All ranks then capture the same
    /// Kernels carry all messages of a collective by themselves: plan() then replaces exchange().
    bool runs_plans = false;
  };
  const std::string& description() const { return traits_.description; }
  bool is_capturable() const { return traits_.is_capturable; }
  bool runs_plans() const { return traits_.runs_plans; }

 protected:
  DeviceTransport() = default;
  explicit DeviceTransport(Traits traits) : traits_(std::move(traits)) {}

 private:
  Traits traits_;
};

}  // namespace arlab::collectives
