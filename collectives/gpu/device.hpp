// Device: the interface to a GPU: memory, streams, events, reductions, graphs.
//
// The GPU executors are written once against it. CUDA implements it (cuda/device.hpp). The tests
// implement it on host threads (tests/fakes/gpu), so that the executors are tested on every
// machine. Enqueued memory and events must stay valid until the work has run.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/problem.hpp"
#include "collectives/gpu/device_handles.hpp"
#include "collectives/gpu/peer_plan.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Work captured once, to be launched as a whole by the streams of its device.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
};

/// A queue of work, done in order. Memory may be that of any device, and of the host where it was
/// allocated for that (MemoryKind::pinned). Errors of the work itself show at synchronize().
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  virtual void copy(std::byte* into, const std::byte* from, std::size_t bytes) = 0;
  /// The arithmetic of reduce.hpp: into[i] = into[i] op from[i], for each of `from` in turn. These
  /// may be on other devices that this one reads().
  virtual void reduce_all(std::byte* into, std::span<const std::byte* const> from, Count elements,
                          Operand operand) = 0;
  void reduce(std::byte* into, const std::byte* from, Count elements, Operand operand) {
    reduce_all(into, {&from, 1}, elements, operand);
  }
  virtual void scale(std::byte* data, Count elements, DType dtype, double divisor) = 0;
  /// Adds the number of elements that differ to the Count at `counter`, which is device memory.
  virtual void count_different(std::byte* counter, const std::byte* a, const std::byte* b,
                               Count elements, DType dtype) = 0;

  /// One kernel that runs a plan of this device, of a grid of peer_grid(), with fewer blocks or as
  /// many.
  virtual void run_plan(const PeerPlan& /*plan*/, int /*threads*/, Operand /*operand*/) {
    fail(Blame::environment, "this device runs no plans by itself");
  }

  /// The event must be of this stream's device. A timed one that is recorded in a capture is
  /// recorded anew by each launch of the graph.
  virtual void record(const DeviceEvent& event) = 0;
  /// Later work waits until the event, as recorded last, is done; any device's event.
  virtual void wait(const DeviceEvent& event) = 0;
  /// The time between two events of this device, which must be timed. Blocks until both are done.
  virtual double microseconds_between(const DeviceEvent& start, const DeviceEvent& stop) = 0;
  virtual bool is_done() = 0;  ///< whether all work is done; throws the error of failed work
  virtual void synchronize() = 0;
  /// The same, before memory is freed that work in progress may use. Its errors show elsewhere.
  void settle() noexcept {
    try {
      synchronize();
    } catch (const std::exception&) {
    }
  }

  /// Captures what `enqueue` enqueues instead of doing it. Streams that wait for an event of the
  /// capture join it. This stream must wait for them before the end. After an exception of
  /// `enqueue` the stream works again.
  virtual std::unique_ptr<DeviceGraph> capture(const std::function<void()>& enqueue) = 0;
  virtual void launch(DeviceGraph& graph) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  /// Whether reductions on this device may read the other's memory.
  virtual bool reads(const Device& other) const = 0;
  /// Throws Error(environment) that names the bytes where there is not enough.
  virtual DeviceMemory allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device) = 0;
  virtual std::unique_ptr<DeviceStream> make_stream(StreamKind kind = StreamKind::own) = 0;
  /// Returns the most blocks with which a plan of that number of ranks of this device runs, all at
  /// once. Throws Error(environment) where it has no room, or cannot.
  virtual PeerGrid peer_grid(Rank /*ranks*/, Operand /*operand*/) {
    fail(Blame::environment, "this device runs no plans by itself");
  }

  /// Returns why other processes cannot open this device's memory, and a remedy; empty if they can.
  const std::string& why_not_shared() const { return why_not_shared_; }
  /// Lets other processes open memory of allocate(). From then on, what its owner frees stays until
  /// free_shared(). Throws Error(environment) if the memory is not this device's, or cannot be
  /// shared.
  virtual SharedDeviceMemory share(const std::byte* /*data*/) {
    fail(Blame::environment, why_not_shared());
  }
  /// Frees shared memory whose owner has freed it. All other processes must have closed it.
  virtual void free_shared() {}
  /// Opens the allocation that another process shares, which may be open already; closed at the
  /// end. Throws Error(environment) with the reason.
  virtual DeviceMemory open_shared(const SharedDeviceMemory& /*memory*/) {
    fail(Blame::environment, why_not_shared());
  }

  /// `timed`: for microseconds_between(), and slower.
  virtual DeviceEvent make_event(bool timed = false) = 0;

 protected:
  explicit Device(DeviceInfo info,
                  std::string why_not_shared = "this device shares no memory: use nccl")
      : info_(std::move(info)), why_not_shared_(std::move(why_not_shared)) {}

 private:
  DeviceInfo info_;
  std::string why_not_shared_;
};

}  // namespace arlab::collectives
