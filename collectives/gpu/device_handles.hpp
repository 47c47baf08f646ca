// What a GPU hands out: its memory and its events, as values. Who only keeps or passes them
// includes this header; device.hpp is for those who call the device.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arlab::collectives {

class Device;        // device.hpp
class DeviceStream;  // the same
using Devices = std::vector<std::unique_ptr<Device>>;

struct DeviceInfo {
  std::string name;
  std::size_t memory = 0;  ///< bytes
  std::string details;     ///< clocks, bus, architecture: for the context record
  std::string identity{};  ///< which device this is, alike in all processes of the machine
};

/// Where memory lies, and whose work a stream has.
enum class MemoryKind : std::uint8_t { device, pinned };  ///< pinned: on the host
/// `framework`: the stream in which frameworks such as LibTorch compute unless they are set
/// otherwise, where the device has one.
enum class StreamKind : std::uint8_t { own, framework };

/// Memory of a device, or host memory that devices reach; freed at the end. Aligned to 256 bytes;
/// its contents are arbitrary.
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

/// Memory of a device as other processes of the machine open it.
struct SharedDeviceMemory {
  std::array<std::byte, 64> handle{};  ///< of the allocation
  std::size_t offset = 0;              ///< in that, bytes
  auto operator<=>(const SharedDeviceMemory&) const = default;
};

/// A point in a stream: an opaque handle that the streams of its device interpret. Copies refer to
/// the same event. Recording it again moves it; streams that wait for the earlier point still do.
class DeviceEvent {
 public:
  DeviceEvent() = default;
  explicit DeviceEvent(std::shared_ptr<void> state) : state_(std::move(state)) {}
  /// The event behind the handle, of the type that Device::make_event() gave it.
  template <class State>
  State& as() const {
    return *static_cast<State*>(state_.get());
  }

 private:
  std::shared_ptr<void> state_;
};

}  // namespace arlab::collectives
