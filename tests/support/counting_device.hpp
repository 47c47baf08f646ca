// CountingDevice: a device that counts the memory in use.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

class CountingDevice final : public Device {
 public:
  struct Memory {
    std::size_t blocks = 0, bytes = 0;            ///< now
    std::size_t most_blocks = 0, most_bytes = 0;  ///< at any time
  };

  explicit CountingDevice(Device& device) : Device(device.info()), device_(device) {}
  Memory here, pinned;

  bool reads(const Device& other) const override { return device_.reads(other); }
  DeviceMemory allocate(std::size_t bytes, MemoryKind kind) override {
    return counted(device_.allocate(bytes, kind), kind == MemoryKind::device ? here : pinned);
  }
  std::unique_ptr<DeviceStream> make_stream(StreamKind kind) override {
    return device_.make_stream(kind);
  }
  DeviceEvent make_event(bool timed) override { return device_.make_event(timed); }

 private:
  static DeviceMemory counted(DeviceMemory memory, Memory& all) {
    const auto its = std::make_shared<DeviceMemory>(std::move(memory));
    all.most_blocks = std::max(all.most_blocks, ++all.blocks);
    all.most_bytes = std::max(all.most_bytes, all.bytes += its->size());
    return {its->data(), its->size(), [its, &all](std::byte*) {
              --all.blocks;
              all.bytes -= its->size();
            }};
  }

  Device& device_;
};

}  // namespace arlab::collectives
