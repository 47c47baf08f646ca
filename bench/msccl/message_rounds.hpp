// MessageRounds: messages and which must come before which, as the rounds of a schedule.
#pragma once

#include <string>
#include <vector>

#include "algorithms/verify/script.hpp"

namespace arlab::bench {

struct ChunkMessage {
  Rank from = 0, to = 0;
  int chunk = 0, count = 0;
  ActionKind kind = ActionKind::replace;
  int level = 0;  ///< the longest chain of messages before it
};

class MessageRounds {
 public:
  /// Returns the message's number.
  int add(const ChunkMessage& message) {
    messages_.push_back(message);
    return static_cast<int>(messages_.size()) - 1;
  }
  ChunkMessage& operator[](int number) { return messages_[static_cast<std::size_t>(number)]; }

  /// Puts a message into a later round than another one or, with distance 0, not into an earlier
  /// one. Returns false if there are too many orders.
  bool order(int before, int after, int distance);
  /// Sets the levels. Returns false if messages wait for one another in a circle.
  bool set_levels();
  /// Returns the lanes of a vector of `chunks` chunks, in lanes of one chunk per rank; each level is
  /// a round of the ranks that take part in it. The number of lanes is lanes(chunks, ranks).
  std::vector<Script::ScriptLane> lanes(int chunks, Rank ranks) const;

 private:
  struct Order {
    int before, after, distance;
  };
  std::vector<ChunkMessage> messages_;
  std::vector<Order> orders_;
};

/// Returns how many lanes of one chunk per rank hold a vector of `chunks` equal chunks.
Count lanes_for(int chunks, Rank ranks);

}  // namespace arlab::bench
