// One rank's part in a pipelined broadcast that takes the fewest rounds there can be: n - 1 +
// ceil(log2 P) for n pieces on any number P of ranks, in which each rank sends and receives one.
//
// In round k of every q = ceil(log2 P) rounds, all ranks send to the rank that follows at distance
// s(k), where s(q) = P and s(k) = ceil(s(k+1) / 2). Träff, Optimal broadcast schedules in
// logarithmic time with applications to broadcast, all-broadcast, reduction and all-reduction,
// arXiv:2407.18004. Read backwards it is a reduction.
#pragma once

#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

class CirculantBroadcast {
 public:
  static constexpr Count kNothing = -1;
  struct Step {
    Rank from = 0, to = 0;
    Count received = kNothing, sent = kNothing;  ///< the number of a piece
  };

  /// The ranks are numbered from the root. There are at least 2, and at least 1 piece.
  CirculantBroadcast(Rank ranks, Rank me, Count pieces);

  Count rounds() const { return pieces_ - 1 + turns(); }
  /// Returns what happens in a round, from 0 on. The root sends piece r in round r, and the last
  /// one to `turns()` ranks. Others send to the root, too, which has no use for it: all pieces but
  /// the last one, once each, and none in round 0.
  Step step(Count round) const;

  /// Returns q, and the ranks to which the root sends: 1, 2, 3, 5, 9 of 17.
  Count turns() const { return static_cast<Count>(first_ranks().size()); }
  const std::vector<Rank>& first_ranks() const { return distance_; }

 private:
  // Of each turn: the piece, counted from the first one that the root sends in these q rounds.
  std::vector<Count> pieces_received(Rank rank) const;
  Count first_turn(Rank rank) const;

  Rank ranks_, me_;
  Count pieces_;
  std::vector<Rank> distance_;  // s(0), ..., s(q-1)
  std::vector<Count> received_, sent_;
};

}  // namespace arlab
