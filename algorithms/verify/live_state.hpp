// live_state: what ranks of a running collective wait for, and what a stopped one owes.
//
// Every rank shows the number of its round. The programs of all ranks, read up to there, say which
// messages have been sent and which have not: the words are those of the verifier.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab {

/// One rank of a running collective, in one lane.
struct LiveRank {
  enum class Is : std::uint8_t { before, inside, after, unknown };
  Is is = Is::unknown;   ///< where it is: before the collective, in a round of it, or behind it
  Count round = 0;       ///< inside: the round that it has begun, from 1; 0: none yet
  bool missing = false;  ///< does not run
};

/// Returns a line for each rank that is not after the collective: what it waits for, by what the
/// others have sent; and for each missing one what it owes. `of_lane` is the lane's problem, whose
/// elements have `element_bytes`. Empty if there is nothing to say.
std::string live_state(const Algorithm& algorithm, const Problem& of_lane, int element_bytes,
                       std::span<const LiveRank> by_rank);

}  // namespace arlab
