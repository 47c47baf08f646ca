// verify: proves a schedule right by running it on symbols instead of numbers.
//
// Every value is a sum tree over the ranks' contributions. The proof: sends match receives chunk
// for chunk, nothing deadlocks even if every send is a rendezvous, no round has a hazard, and at
// the end every rank holds what the Spec asks for, with every contribution in it exactly once. It
// holds for any number of elements, since empty chunks are dropped at both ends alike. The sum
// trees also tell in which order each rank added.
#pragma once

#include <string>

#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

struct Proof {
  Fault fault;  ///< none if the schedule is right

  /// How rank 0 (or the first rank that must) added up chunk 0, such as "((0+1)+(2+3))"; a + b and
  /// b + a count as one.
  std::string bracketing;

  /// Whether all ranks that must hold a chunk added it up in the same order, so that floating-point
  /// results are equal to the bit on all ranks.
  bool same_on_all_ranks = true;

  explicit operator bool() const { return !fault; }
};

/// One lane's schedule against the Spec of its problem. Throws Error(usage) where the symbols would
/// need over 8 GiB.
Proof verify(const Problem& problem, const Schedule& schedule);

/// All lanes of an algorithm; the first fault, and the bracketing of the first lane.
Proof verify(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab
