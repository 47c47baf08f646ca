// Rounds: pairs of ranks that are measured at once, such that all pairs, or a fair sample of them,
// have their turn.
#pragma once

#include <span>
#include <vector>

#include "bench/hunt/search/probe.hpp"

namespace arlab::hunt {

using PairRound = std::vector<Pair>;

/// Returns rounds of disjoint pairs by the circle method: with n players, n-1 rounds (n if n is
/// odd) have every pair once. With more than `most` rounds, returns that many, evenly spaced.
std::vector<PairRound> tournament(std::span<const Rank> players, Count most);

/// How many rounds a search takes.
struct Plan {
  Count scan = 0;        ///< all pairs, or above 64 ranks a sample
  Count most_tests = 0;  ///< of suspects, if there are any
  Count most_alone = 0;  ///< of these, or in a sample after them: of one pair each
  bool is_sample = false;
  /// Returns how many rounds suspects take at most.
  Count most() const { return most_tests + (is_sample ? most_alone : 0); }
};

/// Above 64 ranks, scan and tests together are at most 4 ceil(log2 ranks).
Plan plan_of(Rank ranks);

/// Returns the bytes of a large message whose time is well above its latency, but at most about
/// 20 ms: a power of two from 64 KiB to the probe's most. Measures one round to choose.
Bytes fitting_bytes(const Probe& probe);

}  // namespace arlab::hunt
