// MessageRounds: messages and which must come before which, as the rounds of a schedule.
#pragma once

#include <string>
#include <vector>

#include "algorithms/verify/script.hpp"

namespace arlab::bench {

/// One chunk of a message of the program. Chunks that a receiver uses in parts may end in different
/// rounds; those of one `message` that do not are one message again.
struct ChunkMessage {
  Rank from = 0, to = 0;
  int chunk = 0;
  int message = 0;  ///< that it is part of
  ActionKind kind = ActionKind::replace;
};

/// How the chunks of a vector are those of lanes of one chunk per rank.
struct ChunkLayout {
  int chunks = 1;
  Rank ranks = 1;
  bool owned = false;  ///< each rank has its own consecutive chunks, as in an all-gather

  Count lanes() const;
};

class MessageRounds {
 public:
  /// Returns the number of the message's first chunk; those of the others follow.
  int add(Rank from, Rank to, int first_chunk, int count);
  ChunkMessage& operator[](int number) { return parts_[static_cast<std::size_t>(number)]; }

  /// Keeps chunks, `count` from this number on, in one round.
  void join(int number, int count);
  /// Puts a chunk into a later round than another one or, with distance 0, not into an earlier one.
  /// Returns false if there are too many orders.
  bool order(int before, int after, int distance);
  /// Chooses the rounds. Returns false if chunks wait for one another in a circle.
  bool set_levels();
  /// Returns the lanes; each level is a round of the ranks that take part in it.
  std::vector<Script::ScriptLane> lanes(const ChunkLayout& layout) const;

 private:
  struct Order {
    int before, after, distance;
  };
  int level(int part) const { return levels_[joined_[static_cast<std::size_t>(part)]]; }

  std::vector<ChunkMessage> parts_;
  std::vector<std::size_t> joined_;  // the first of the chunks that share a round
  std::vector<int> levels_;          // of those: the longest chain before them
  std::vector<Order> orders_;
  int messages_ = 0;
};

}  // namespace arlab::bench
