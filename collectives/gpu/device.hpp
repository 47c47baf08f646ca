// Device: the small seam to a GPU: memory, streams, events, reductions, graphs.
//
// The executors for GPUs are written against it once. CUDA implements it (cuda/device.hpp), and so
// does the host (host/device.hpp), whose streams are real queues: there the executors are tested on
// every machine. What is enqueued must stay valid until it has run.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Memory of a device, or host memory that devices reach; given back at the end. Aligned to 256
/// bytes; its contents are arbitrary.
class DeviceMemory {
 public:
  using Release = std::function<void(std::byte*)>;

  DeviceMemory() = default;
  DeviceMemory(std::byte* data, std::size_t size, Release release)
      : data_(data, std::move(release)), size_(size) {}
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte, Release> data_;
  std::size_t size_ = 0;
};

/// A point in a stream. Recording it again moves it; who waits for the earlier point still does.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Blocks until both are done; both must be timed.
  virtual double microseconds_since(const DeviceEvent& start) const = 0;
};

/// Work captured once, to be launched as a whole.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  virtual std::size_t nodes() const = 0;
};

/// A queue of work, done in order. Memory may be that of any device, and of the host where it was
/// allocated for that (allocate_pinned). Errors of the work itself show at synchronise().
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  virtual void copy(std::byte* into, const std::byte* from, std::size_t bytes) = 0;
  /// The arithmetic of reduce.hpp: into[i] = into[i] op from[i]. `from` may be on another device
  /// that this one reads().
  virtual void reduce(std::byte* into, const std::byte* from, Count elements, Operand operand) = 0;
  virtual void scale(std::byte* data, Count elements, DType dtype, Rank divisor) = 0;
  /// Adds the number of elements that differ to the Count at `counter`, which is device memory.
  virtual void count_different(std::byte* counter, const std::byte* a, const std::byte* b,
                               Count elements, DType dtype) = 0;

  /// The event must be of this stream's device.
  virtual void record(DeviceEvent& event) = 0;
  /// Later work waits until the event, as recorded last, is done; any device's event.
  virtual void wait(const DeviceEvent& event) = 0;
  virtual bool is_done() = 0;  ///< whether all work is done; throws the error of failed work
  virtual void synchronise() = 0;

  /// From here on work is captured instead of done, also that of streams which wait for events
  /// recorded in the capture, until end_capture() of this stream, which must wait for all others
  /// first.
  virtual void begin_capture() = 0;
  virtual std::unique_ptr<DeviceGraph> end_capture() = 0;
  virtual void launch(DeviceGraph& graph) = 0;
};

struct DeviceInfo {
  std::string name;
  std::size_t memory = 0;  ///< bytes
  std::string details;     ///< clocks, bus, architecture: for the context record
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  /// Whether reductions on this device may read the other's memory.
  virtual bool reads(const Device& other) const = 0;
  /// Throws Error(environment) that names the bytes where there is not enough.
  virtual DeviceMemory allocate(std::size_t bytes) = 0;
  virtual DeviceMemory allocate_pinned(std::size_t bytes) = 0;  ///< on the host
  virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  /// `timed`: for microseconds_since(), and slower.
  virtual std::unique_ptr<DeviceEvent> make_event(bool timed = false) = 0;
};

using Devices = std::vector<std::unique_ptr<Device>>;

}  // namespace arlab::collectives
