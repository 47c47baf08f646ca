// Actors: for each rank and lane, its program and the state of its current round.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/time.hpp"
#include "algorithms/pending_actions.hpp"
#include "algorithms/round_limit.hpp"

namespace arlab::simulator {

struct alignas(64) Actor {      // one cache line
  Program program;              // empty after its end
  Time done{};                  // end of the latest completed message
  std::uint32_t next_send = 0;  // position in the round
  std::uint32_t left = 0;       // messages of the round that are not complete
  std::uint32_t depth = 0;      // longest chain of rounds up to this one
  std::uint32_t next_depth = 0;
  // Unmatched receives of the current round; on a synchronous network also unmatched sends.
  [[no_unique_address]] PendingActions pending;
  std::uint32_t unexpected = 0;  // messages received before their receive was posted
};
static_assert(sizeof(Actor) == 64);

/// Of what a rank may send, the first piece goes first, and of that what is listed first.
inline std::uint64_t in_order(Turn turn, std::uint32_t listed) {
  return static_cast<std::uint64_t>(turn.piece) << 32 | listed;
}

class Actors {
 public:
  using Index = std::uint32_t;  ///< rank by rank, lane by lane

  /// There is at least one lane.
  Actors(const Algorithm& algorithm, std::span<const Lane> lanes, Rank ranks, Bytes element_size)
      : Actors(algorithm, lanes, ranks, element_size, ranks, [](Rank rank) { return rank; }) {}

  Index size() const { return static_cast<Index>(all_.size()); }
  Actor& operator[](Index actor) { return all_[actor]; }
  const Actor& operator[](Index actor) const { return all_[actor]; }
  /// Advances to the actor's next round. At the end of the program, deletes it and returns false.
  /// Throws Error(check) if the chain of rounds up to this one is beyond the limit.
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

  // One lane is the common case, and divisions are slow.
  Rank rank_of(Index actor) const {
    return static_cast<Rank>(lanes_ == 1 ? actor : actor / lanes_);
  }
  Index lane_of(Index actor) const { return lanes_ == 1 ? 0 : actor % lanes_; }
  /// Returns the actor's rank as the peer of the action calls it.
  Rank name_for_peer(Index actor, const Action& /*action*/) const { return rank_of(actor); }
  Index actor_of(Rank rank, Index lane) const { return static_cast<Index>(rank) * lanes_ + lane; }
  /// Returns the actor at the other end. Throws Error(check) if the rank does not exist.
  [[gnu::always_inline]] Index peer_of(Index actor, const Action& action) const {
    check_peer(actor, action);
    return actor_of(action.peer, lane_of(actor));
  }
  Bytes bytes_of(Index actor, const Action& action) const {
    return blocks_[lane_of(actor)].size(action.chunks) * element_size_;
  }
  const Problem& problem_of_lane(Index lane) const { return problems_[lane]; }
  Index lanes() const { return lanes_; }
  bool has_lanes() const { return lanes_ > 1; }
  /// The lane's number for the caller of the engine.
  std::int32_t outer_lane_of(Index actor) const {
    return static_cast<std::int32_t>(lane_of(actor));
  }
  /// When the actor's messages leave.
  Turn turn_of(Index actor) const { return lanes_ == 1 ? Turn{} : turns_[lane_of(actor)]; }
  /// The place of the actor's rounds among those of its rank.
  std::uint64_t order_of(Index actor) const { return in_order(turn_of(actor), lane_of(actor)); }
  /// Whether two actions of a round name an element both.
  bool share_elements(const Action& a, const Action& b) const {
    return overlap(a.chunks, b.chunks, ranks_);
  }

 protected:
  [[gnu::always_inline]] void check_peer(Index actor, const Action& action) const {
    if (action.peer < 0 || action.peer >= ranks_)
      fail(Blame::check, "rank " + std::to_string(rank_of(actor)) + " of " +
                             std::to_string(ranks_) + " has a message for or from rank " +
                             std::to_string(action.peer) +
                             ": verify the algorithm to find its round");
  }

  /// Of `acting` ranks out of all.
  template <class RankAt>
  Actors(const Algorithm& algorithm, std::span<const Lane> lanes, Rank ranks, Bytes element_size,
         Rank acting, RankAt rank_at)
      : ranks_(ranks), element_size_(element_size), lanes_(static_cast<Index>(lanes.size())) {
    for (const Lane& lane : lanes) {
      problems_.push_back(lane.problem);
      blocks_.push_back(lane.problem.blocks());
      turns_.push_back(lane.turn);
      limits_.emplace_back(algorithm, lane.problem);
    }
    all_.resize(static_cast<std::size_t>(acting) * lanes_);
    for (Index a = 0; a < size(); ++a)
      all_[a].program = algorithm.program(lanes[a % lanes_].problem, rank_at(rank_of(a)));
  }

 private:
  Rank ranks_;
  Bytes element_size_;
  Index lanes_;
  std::vector<Problem> problems_;   // of each lane
  std::vector<Blocks> blocks_;      // of each lane
  std::vector<Turn> turns_;         // of each lane
  std::vector<RoundLimit> limits_;  // of each lane
  std::vector<Actor> all_;
};

/// Identifies the messages of one pair and lane by the receiving actor and the sending rank.
inline std::uint64_t pair_key(Actors::Index actor, Rank source) {
  return static_cast<std::uint64_t>(actor) << 32 | static_cast<std::uint32_t>(source);
}

}  // namespace arlab::simulator
