// MemoryMap: finds the device that owns a range of memory, and keeps what other processes may have
// open.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

class MemoryMap {
 public:
  void add(std::byte* data, std::size_t size, const Device* device) {
    const std::lock_guard lock(mutex_);
    blocks_[data] = {size, device};
  }
  /// Forgets a block. Returns whether its owner may free it: shared ones wait for take_freed().
  bool remove(std::byte* data) {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(data);
    const bool shared = block->second.shared;
    if (shared) freed_.push_back(data);
    blocks_.erase(block);
    return !shared;
  }
  /// Returns the device that owns these bytes; null for host memory and unknown memory.
  const Device* owner(const std::byte* data, std::size_t size) const {
    const std::lock_guard lock(mutex_);
    const auto block = find(data);
    if (block == blocks_.end()) return nullptr;
    expects(data + size <= block->first + block->second.size, "work reaches beyond its memory");
    return block->second.device;
  }

  /// Marks the device's block with this byte as shared with other processes, and returns where it
  /// begins; null if the device has none.
  std::byte* share(const std::byte* data, const Device* device) {
    const std::lock_guard lock(mutex_);
    const auto block = find(data);
    if (block == blocks_.end() || block->second.device != device) return nullptr;
    block->second.shared = true;
    return block->first;
  }
  /// Returns the shared blocks whose owners have freed them, and forgets them.
  std::vector<std::byte*> take_freed() {
    const std::lock_guard lock(mutex_);
    return std::exchange(freed_, {});
  }

 private:
  struct Block {
    std::size_t size = 0;
    const Device* device = nullptr;
    bool shared = false;
  };
  using Blocks = std::map<std::byte*, Block, std::less<>>;

  template <class Self>
  static auto find_in(Self& blocks, const std::byte* data) {
    auto block = blocks.upper_bound(data);
    if (block == blocks.begin()) return blocks.end();
    --block;
    return data < block->first + block->second.size ? block : blocks.end();
  }
  Blocks::iterator find(const std::byte* data) { return find_in(blocks_, data); }
  Blocks::const_iterator find(const std::byte* data) const { return find_in(blocks_, data); }

  mutable std::mutex mutex_;
  Blocks blocks_;
  std::vector<std::byte*> freed_;
};

}  // namespace arlab::collectives
