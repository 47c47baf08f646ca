// InFlightMessages: what virtual messages carry, from the time they are sent until they are received.
//
// When a message arrives is the network's to tell; here the k-th message from one rank to another
// on a lane is the k-th taken there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// A copy of what was sent.
struct ByteMessage {
  std::shared_ptr<const std::byte[]> content;
  Count elements = 0;
  std::size_t bytes = 0;
};

class InFlightMessages {
 public:
  struct Channel {
    int lane = 0;
    Rank source = 0, target = 0;
  };

  void post(const Channel& channel, ByteMessage message);
  /// There must be one.
  ByteMessage take(const Channel& channel);
  /// How many lie there.
  std::size_t waiting(const Channel& channel) const;

  /// The first message that nobody took, in words; empty if all were.
  std::string left_over() const;

 private:
  struct Queue {
    std::vector<ByteMessage> messages;
    std::size_t taken = 0;
  };
  // Ranks have 10 bits (kMaxEmulatedRanks).
  static std::uint64_t key(const Channel& channel) {
    return static_cast<std::uint64_t>(channel.lane) << 20 |
           static_cast<std::uint64_t>(channel.source) << 10 | static_cast<std::uint64_t>(channel.target);
  }

  std::unordered_map<std::uint64_t, Queue> queues_;
};

}  // namespace arlab::training
