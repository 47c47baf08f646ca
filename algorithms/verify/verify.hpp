// verify: proves a schedule correct by running it on symbols instead of numbers.
//
// Every value is a sum tree over the ranks' contributions. The proof: sends match receives chunk
// for chunk; nothing deadlocks even if every send is a rendezvous; no round has a hazard; at the
// end every rank holds the values that the Spec requires, with each contribution exactly once. The
// proof holds for any number of elements, since both ends drop empty chunks alike. The sum trees
// also show the order in which each rank added.
#pragma once

#include <string>

#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

struct Proof {
  Fault fault;  ///< none if the schedule is correct

  /// How rank 0 (or the first rank that must hold it) added up chunk 0, such as "((0+1)+(2+3))".
  /// a + b and b + a are equal.
  std::string bracketing;

  /// Whether all ranks that must hold a chunk added it up in the same order. If so, floating-point
  /// results are bitwise equal on all ranks.
  bool same_on_all_ranks = true;

  explicit operator bool() const { return !fault; }
};

/// Checks one lane's schedule against the Spec of its problem. Throws Error(usage) if the symbols
/// would need over 8 GiB.
Proof verify(const Problem& problem, const Schedule& schedule);

/// Checks all lanes of an algorithm. Returns the first fault, and the bracketing of the first lane.
Proof verify(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab
