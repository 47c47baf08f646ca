// round_check: errors of one round by itself: peers, chunks, and actions that must not overlap.
#pragma once

#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

/// Returns the first error of the rank's round with this number, or none.
Fault check_round(const Problem& problem, Rank rank, Count number, Round round);

}  // namespace arlab
