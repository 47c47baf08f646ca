// Passings: how the messages of one rank to the others of its machine pass, by what they have
// taken.
//
// A sender measures how long it posts a sample, and its receiver reports how long it took the
// sample. Two ranks that exchange messages pass them in the same way: if one read them and the
// other copied, both would wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/copy/way_choice.hpp"
#include "collectives/shm/slots.hpp"

namespace arlab::collectives {

struct Passing {
  bool stays = false;        ///< the message stays where it is, until it is taken
  bool streams = false;      ///< it goes into shared memory around the caches
  std::uint16_t sample = 0;  ///< not 0: what it takes is measured
};

class Passings {
 public:
  /// Of messages up to that size, nothing is measured.
  static constexpr std::size_t kFewBytes = 1024;

  /// me: among the ranks of the machine, as all ranks here. may_read: whether messages longer than
  /// a buffer may stay.
  Passings(Slots slots, Rank me, bool may_read) : slots_(slots), me_(me), may_read_(may_read) {}

  /// Decides how a message passes that is about to be posted.
  Passing choose(int lane, Rank peer, std::size_t bytes);
  /// Posting a part of the sample to that rank took so long.
  void posted(Rank peer, std::chrono::nanoseconds took) { peer_of(peer).posting += took; }

 private:
  struct Peer {
    WayChoice ways;
    // The latest sample. It is 0 once its receiver has reported.
    std::uint16_t sample = 0, samples = 0;
    Way way = Way::copied;
    int lane = 0;
    std::size_t bytes = 0;
    std::chrono::nanoseconds posting{};
  };

  Peer& peer_of(Rank rank);
  WayChoice::Pick pick(Peer& its, Rank peer, std::size_t bytes);
  void learn(Peer& its, Rank peer);

  Slots slots_;
  Rank me_;
  bool may_read_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

}  // namespace arlab::collectives
