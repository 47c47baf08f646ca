// InFlightMessages: the contents of simulated messages, from send to receive.
//
// The network determines when a message arrives. The k-th message from one rank to another on a lane
// is the k-th received there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// A copy of a sent message.
struct InFlightMessage {
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

  void post(const Channel& channel, InFlightMessage message);
  /// Removes and returns the first message, which must exist.
  InFlightMessage take(const Channel& channel);
  /// Returns the number of messages in the channel.
  std::size_t waiting(const Channel& channel) const;

  /// Describes the first message that nobody received; empty if there is none.
  std::string left_over() const;

 private:
  struct Queue {
    std::vector<InFlightMessage> messages;
    std::size_t taken = 0;
  };
  // A rank needs 10 bits (kMaxEmulatedRanks).
  static std::uint64_t key(const Channel& channel) {
    return static_cast<std::uint64_t>(channel.lane) << 20 |
           static_cast<std::uint64_t>(channel.source) << 10 |
           static_cast<std::uint64_t>(channel.target);
  }

  std::unordered_map<std::uint64_t, Queue> queues_;
};

}  // namespace arlab::training
