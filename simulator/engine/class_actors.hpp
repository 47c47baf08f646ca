// ClassActors: one actor for each class of ranks that behave alike, on a network of their classes.
//
// An actor is the rank that represents its class. The peer of its message is represented by another
// actor, or by itself, to whom the message comes from the image of its sender.
#pragma once

#include <utility>

#include "algorithms/rank_symmetry.hpp"
#include "simulator/engine/round_source.hpp"

namespace arlab::simulator {

class ClassActors : public Actors {
 public:
  /// lane: the only one.
  ClassActors(const Algorithm& algorithm, const Lane& lane, const RankSymmetry& symmetry,
              Bytes element_size)
      : Actors(algorithm, std::span(&lane, 1), symmetry.ranks(), element_size, symmetry.classes(),
               [&](Rank of_class) { return symmetry.representative(of_class); }),
        symmetry_(symmetry) {
    for (Rank c = 0; c < symmetry.classes(); ++c) ranks_.push_back(symmetry.representative(c));
  }

  Rank rank_of(Index actor) const { return ranks_[actor]; }
  Rank name_for_peer(Index actor, const Action& action) const {
    return symmetry_.seen_from(action.peer, rank_of(actor));
  }
  Index actor_of(Rank rank, Index /*lane*/) const {
    return static_cast<Index>(symmetry_.class_of(rank));
  }
  /// Throws what that of Actors does.
  Index peer_of(Index actor, const Action& action) const {
    return actor_of(rank_of_actor_at(Actors::peer_of(actor, action)), 0);
  }

 private:
  // Without classes, an actor of the only lane has the number of its rank.
  static Rank rank_of_actor_at(Index actor) { return static_cast<Rank>(actor); }

  RankSymmetry symmetry_;
  std::vector<Rank> ranks_;  // of each actor
};

}  // namespace arlab::simulator
