// SizeTable: numbers the sizes of messages in the order in which they occur.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::simulator {

class SizeTable {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 28;

  const std::vector<Bytes>& sizes() const { return sizes_; }
  /// Returns whether there are more than kMost sizes.
  bool is_full() const { return sizes_.size() > kMost; }

  /// Returns the number of the size, a new one if it occurs for the first time.
  std::uint32_t number_of(Bytes bytes) {
    if (latest_.bytes == bytes) return latest_.number;
    Cached& cached = cache_[static_cast<std::uint64_t>(bytes) * 0x9E3779B97F4A7C15u >> 56];
    if (cached.bytes == bytes) return (latest_ = cached).number;
    const auto [place, is_new] =
        number_of_.emplace(bytes, static_cast<std::uint32_t>(sizes_.size()));
    if (is_new) sizes_.push_back(bytes);
    cached = latest_ = {bytes, place->second};
    return place->second;
  }

 private:
  std::vector<Bytes> sizes_;
  std::unordered_map<Bytes, std::uint32_t> number_of_;
  struct Cached {
    Bytes bytes = -1;
    std::uint32_t number = 0;
  };
  Cached latest_;
  std::array<Cached, 256> cache_;
};

}  // namespace arlab::simulator
