// PostingOrder: decides whether a rank posts the sends of a round before its receives, or after
// them.
//
// Above its eager limit MPI asks before it sends. If two partners of an exchange have posted their
// receives, each grants the other's message at once, and a grant then waits behind the message on
// the one connection of the pair: first one message travels, then the other. If both ask before
// they grant, the messages cross. Within a machine this gains nothing, and a receive that is posted
// first saves a copy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class PostingOrder {
 public:
  /// `machines`: by rank, as Communicator::machines() returns them.
  PostingOrder(std::span<const Rank> machines, Rank me);

  /// Whether the round exchanges messages with a rank of another machine.
  bool sends_first(std::span<const Transfer> round);

 private:
  std::vector<bool> near_;  // by rank: whether messages to it stay within this machine
  bool all_near_ = true;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> last_round_to_;  // by rank: when this one sent it a message
};

}  // namespace arlab::collectives
