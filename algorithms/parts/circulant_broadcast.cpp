#include "algorithms/parts/circulant_broadcast.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"

namespace arlab {

CirculantBroadcast::CirculantBroadcast(Rank ranks, Rank me, Count pieces)
    : ranks_(ranks), me_(me), pieces_(pieces) {
  expects(ranks >= 2 && me >= 0 && me < ranks && pieces >= 1, "a broadcast has ranks and pieces");
  for (Rank distance = ranks; distance > 1;)
    distance_.insert(distance_.begin(), distance = (distance + 1) / 2);
  received_ = pieces_received(me);
  for (std::size_t k = 0; k < distance_.size(); ++k)
    sent_.push_back(pieces_received((me + distance_[k]) % ranks)[k]);
}

// The turn in which a rank receives its first piece: the last distance in the sum of distances that
// leads to it, the largest first. q for the root.
Count CirculantBroadcast::first_turn(Rank rank) const {
  if (rank == 0) return turns();
  for (Count k = turns() - 1;; --k) {
    const Rank distance = distance_[static_cast<std::size_t>(k)];
    if (distance == rank) return k;
    if (distance < rank) rank -= distance;
  }
}

// In its first turn b a rank receives piece b, and in others those that the root sent up to q
// rounds before, each once. It takes over what was the first piece of a rank that can have it
// already: in turn k of a rank from P + rank - s(k+1) to P + rank - s(k), found as a sum of
// distances whose turns are not used yet. Rank P is the root.
std::vector<Count> CirculantBroadcast::pieces_received(Rank rank) const {
  const Count q = turns(), first = first_turn(rank);
  const auto distance = [&](Count k) {
    return k == q ? Count{ranks_} : Count{distance_[static_cast<std::size_t>(k)]};
  };
  std::vector<Count> unused, received;
  for (Count k = q; k >= 0; --k)
    if (k != first) unused.push_back(k);
  Count before = 2 * Count{ranks_};  // the sum of the turn before
  for (Count k = 0; k < q; ++k) {
    const Count low = Count{ranks_} + rank - distance(k + 1);
    const Count high = std::min(Count{ranks_} + rank - distance(k), before - 1);
    Count sum = 0, last = kNothing;
    for (const Count turn : unused) {
      if (sum + distance(turn) > high) continue;
      sum += distance(last = turn);
      if (sum > low) break;
    }
    expects(last != kNothing && sum >= low, "each turn of a broadcast has a piece");
    before = sum;
    std::erase(unused, last);
    received.push_back(last == q && rank != 0 ? first : last - q);
  }
  return received;
}

// The rounds end with a multiple of q, so that the first one may be in the middle. Pieces beyond
// the last stand for the last.
CirculantBroadcast::Step CirculantBroadcast::step(Count round) const {
  const Count q = turns(), skipped = (q - rounds() % q) % q;
  const auto k = static_cast<std::size_t>((round + skipped) % q);
  const Count base = (round + skipped) / q * q - skipped;
  const auto piece = [&](Count number) {
    return number < 0 ? kNothing : std::min(number, pieces_ - 1);
  };
  return {.from = (me_ - distance_[k] + ranks_) % ranks_,
          .to = (me_ + distance_[k]) % ranks_,
          .received = piece(base + received_[k]),
          .sent = piece(base + sent_[k])};
}

}  // namespace arlab
