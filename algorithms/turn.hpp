// Turn: when the messages of a lane leave.
//
// A channel is one connection of each ordered pair of ranks, as of MPI or NCCL: its messages leave
// one after another. On links and exclusive ports, of those that are ready those of the first piece
// leave first; where processors send (loggops, connections), those known first. Lanes that are
// pieces of one vector share a channel, so that one piece arrives while the next is on its way.
// Channels, such as the two trees of a double tree, share links as they come.
#pragma once

#include <cstdint>

namespace arlab {

struct Turn {
  static constexpr std::int32_t kAny = -1;
  std::int32_t channel = kAny;  ///< kAny: messages wait for no others
  std::int32_t piece = 0;       ///< of the channel
  bool waits() const { return channel != kAny; }
  /// Returns the turn in a call whose lanes begin at this number, apart from those of other calls.
  Turn in_call(std::int32_t first_lane) const {
    return waits() ? Turn{first_lane + channel, piece} : *this;
  }
  bool operator==(const Turn&) const = default;
};

}  // namespace arlab
