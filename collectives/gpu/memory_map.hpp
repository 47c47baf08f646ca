// MemoryMap: finds the device that owns a range of memory.
#pragma once

#include <map>
#include <mutex>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

class MemoryMap {
 public:
  void add(const std::byte* data, std::size_t size, const Device* device) {
    const std::lock_guard lock(mutex_);
    blocks_[data] = {size, device};
  }
  void remove(const std::byte* data) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(data);
  }
  /// Returns the device that owns these bytes; null for host memory and unknown memory.
  const Device* owner(const std::byte* data, std::size_t size) const {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.upper_bound(data);
    if (block == blocks_.begin()) return nullptr;
    --block;
    const auto [length, device] = block->second;
    if (data >= block->first + length) return nullptr;
    expects(data + size <= block->first + length, "work reaches beyond its memory");
    return device;
  }

 private:
  struct Block {
    std::size_t size;
    const Device* device;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, Block> blocks_;
};

}  // namespace arlab::collectives
