// Fold: how an algorithm for a power of `base` runs on any number of ranks.
//
// The first `core` ranks, the largest power, run the algorithm. Every other rank first sends its
// vector to a rank of the core, which adds it, and receives the result at the end.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab {

struct Fold {
  explicit Fold(Rank of_ranks, Rank base = 2) : ranks(of_ranks) {
    for (; Count{core} * base <= ranks; core *= base) ++steps;
  }
  Rank extras() const { return ranks - core; }
  bool is_extra(Rank me) const { return me >= core; }
  /// Returns the rank of the core that an extra rank folds into.
  Rank host(Rank extra) const { return extra % core; }
  /// Returns the number of extra ranks that fold into this rank of the core.
  Rank guests(Rank me) const { return is_extra(me) ? 0 : (ranks - 1 - me) / core; }
  Rank guest(Rank me, Rank i) const { return me + (i + 1) * core; }

  /// Adds the fold's messages and rounds to the cost of the core, all ranks or one. An extra rank
  /// has only those of the fold.
  Cost around(const Problem& p, Cost core_cost) const {
    if (extras() == 0) return core_cost;
    return plus(p, core_cost, 2 * Count{extras()}, 2);
  }
  Cost around(const Problem& p, Rank me, Cost core_cost) const {
    if (is_extra(me)) return plus(p, {}, 1, 2);
    return plus(p, core_cost, guests(me), guests(me) > 0 ? 2 : 0);
  }

  Rank ranks, core = 1;
  int steps = 0;  ///< log of core to the base

 private:
  static Cost plus(const Problem& p, Cost cost, Count vectors, Count rounds) {
    return {cost.messages + (p.elements > 0 ? vectors : 0), cost.elements + vectors * p.elements,
            cost.rounds + rounds};
  }
};

}  // namespace arlab
