// ClassActors: one actor per lane for each class of ranks that behave alike.
//
// The other ranks of a class do the same at the same times, with their peers shifted. So an actor
// that sends to a rank delivers to the actor of that rank's class, as the image of the sender.
#pragma once

#include <span>
#include <vector>

#include "simulator/engine/round_source.hpp"

namespace arlab::simulator {

class ClassActors {
 public:
  using Index = Actors::Index;  ///< class by class, lane by lane

  /// There is at least one lane. `symmetry` holds for all of them.
  ClassActors(const Algorithm& algorithm, std::span<const Lane> lanes, RankSymmetry symmetry,
              Rank ranks, Bytes element_size)
      : symmetry_(std::move(symmetry)),
        ranks_(ranks),
        element_size_(element_size),
        lanes_(static_cast<Index>(lanes.size())) {
    for (const Lane& lane : lanes) {
      blocks_.push_back(lane.problem.blocks());
      limits_.emplace_back(algorithm, lane.problem);
    }
    all_.resize(index(symmetry_.classes()) * lanes_);
    for (Index a = 0; a < size(); ++a)
      all_[a].program = algorithm.program(lanes[a % lanes_].problem, rank_of(a));
  }

  Index size() const { return static_cast<Index>(all_.size()); }
  Actor& operator[](Index actor) { return all_[actor]; }
  const Actor& operator[](Index actor) const { return all_[actor]; }
  bool next(Index actor) {
    Program& program = all_[actor].program;
    if (program.next()) {
      limits_[lane_of(actor)].check(rank_of(actor), Count{all_[actor].depth} + 1);
      return true;
    }
    program = {};
    return false;
  }
  Round round(Index actor) const { return all_[actor].program.round(); }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  Rank rank_of(Index actor) const { return static_cast<Rank>(actor / lanes_); }
  Index lane_of(Index actor) const { return actor % lanes_; }
  Index actor_of(Rank rank, Index lane) const {
    return static_cast<Index>(symmetry_.class_of(rank)) * lanes_ + lane;
  }
  Index peer_of(Index actor, const Action& action) const {
    check_peer(rank_of(actor), action.peer, ranks_);
    return actor_of(action.peer, lane_of(actor));
  }
  Rank rank_for(Index actor, Rank other) const {
    return symmetry_.seen_from(other, rank_of(actor));
  }
  Count weight() const { return ranks_ / symmetry_.classes(); }
  Bytes bytes_of(Index actor, const Action& action) const {
    return blocks_[lane_of(actor)].size(action.chunks) * element_size_;
  }

 private:
  RankSymmetry symmetry_;
  Rank ranks_;
  Bytes element_size_;
  Index lanes_;
  std::vector<Blocks> blocks_;      // of each lane
  std::vector<RoundLimit> limits_;  // of each lane
  std::vector<Actor> all_;
};

}  // namespace arlab::simulator
