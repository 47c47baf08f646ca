// MessageCosts: how long a message of each size takes. Sizes are numbered (size_table.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::simulator {

class MessageCosts {
 public:
  struct OfSize {
    Time processor{}, port{};  ///< besides o, and besides g or L
    Time reduction{};
    bool is_eager = true, is_empty = false;
  };

  /// sizes: in bytes, by number. More may be appended later. Must outlive this.
  MessageCosts(const UniformCosts& costs, const std::vector<Bytes>& sizes)
      : costs_(costs), sizes_(sizes) {}

  const OfSize& operator[](std::uint32_t size) {
    if (size >= by_size_.size()) extend();
    return by_size_[size];
  }
  /// Returns the costs of all sizes. Valid until the next call.
  std::span<const OfSize> all() {
    extend();
    return by_size_;
  }

 private:
  void extend() {
    while (by_size_.size() < sizes_.size()) {
      const auto bytes = static_cast<double>(sizes_[by_size_.size()]);
      const double paced = costs_.exclusive_ports ? bytes : std::max(0., bytes - 1);
      by_size_.push_back({.processor = to_time(paced * costs_.O),
                          .port = to_time(paced * costs_.G),
                          .reduction = to_time(bytes * costs_.gamma),
                          .is_eager = costs_.exclusive_ports || bytes <= costs_.S,
                          .is_empty = bytes == 0});
    }
  }

  UniformCosts costs_;
  const std::vector<Bytes>& sizes_;
  std::vector<OfSize> by_size_;
};

}  // namespace arlab::simulator
