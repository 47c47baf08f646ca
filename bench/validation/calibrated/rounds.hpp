// Message rounds: what one rank does in an allreduce, from the algorithm's program, without time.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::simulator {

/// Bytes per element: the published measurements add up 32-bit integers.
inline constexpr Count kElementBytes = 4;

/// Equal rounds of one rank that follow one another.
struct MessageRound {
  Count count = 0;
  double bytes = 0;    ///< of a message
  double reduced = 0;  ///< bytes that are added up
  Rank distance = 1;   ///< to the partner, in ranks around the end
  bool shift = false;  ///< not both to and from one partner
  bool sends = true;   ///< otherwise the rank only receives
};

/// Returns the rounds of rank 0, which has no fewer than any other rank of the algorithms of the
/// catalog that the measurements name. Throws Error(usage) if the algorithm does not support the
/// ranks.
std::vector<MessageRound> message_rounds(std::string_view algorithm, Rank ranks, Count bytes);

}  // namespace arlab::simulator
