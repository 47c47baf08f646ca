// ClassActors: one actor for each class of ranks that behave alike, on a network of their classes.
//
// An actor is the rank that represents its class, on one lane. The peer of its message is
// represented by another actor, or by itself, to whom the message comes from the image of its
// sender.
#pragma once

#include <span>
#include <vector>

#include "algorithms/rank_symmetry.hpp"
#include "simulator/engine/round_source.hpp"

namespace arlab::simulator {

class ClassActors : public Actors {
 public:
  ClassActors(const Algorithm& algorithm, std::span<const Lane> lanes,
              const RankSymmetry& symmetry, Bytes element_size)
      : Actors(algorithm, lanes, symmetry.ranks(), element_size, symmetry.classes(),
               [&](Rank of_class) { return symmetry.representative(of_class); }),
        symmetry_(symmetry) {
    for (Rank c = 0; c < symmetry.classes(); ++c) ranks_.push_back(symmetry.representative(c));
  }

  Rank rank_of(Index actor) const { return ranks_[index(Actors::rank_of(actor))]; }
  Rank name_for_peer(Index actor, const Action& action) const {
    return symmetry_.seen_from(action.peer, rank_of(actor));
  }
  Index actor_of(Rank rank, Index lane) const {
    return Actors::actor_of(symmetry_.class_of(rank), lane);
  }
  /// Throws what that of Actors does.
  Index peer_of(Index actor, const Action& action) const {
    check_peer(actor, action);
    return actor_of(action.peer, lane_of(actor));
  }

 private:
  RankSymmetry symmetry_;
  std::vector<Rank> ranks_;  // of each class
};

}  // namespace arlab::simulator
