// ExternalRounds: actors that receive their rounds from the caller, one at a time, on any lane.
//
// Each lane that has been used has one actor per rank.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/engine/round_source.hpp"

namespace arlab::simulator {

/// One end of a message in a round.
struct PostedAction {
  ActionKind kind = ActionKind::send;
  Rank peer = 0;
  Bytes bytes = 0;  ///< at least 1
};

class ExternalRounds {
 public:
  using Index = Actors::Index;  ///< lane by lane in the order of their first use, rank by rank

  explicit ExternalRounds(Rank ranks) : ranks_(ranks) {}

  /// Gives the round to the actor of that rank and lane. Returns the actor.
  Index take(Rank rank, std::int32_t lane, std::span<const PostedAction> round) {
    const auto [place, is_new] =
        places_.emplace(lane, static_cast<Index>(places_.size()) * static_cast<Index>(ranks_));
    if (is_new) {
      lanes_.push_back(lane);
      all_.resize(all_.size() + static_cast<std::size_t>(ranks_));
      rounds_.resize(all_.size());
    }
    const Index actor = place->second + static_cast<Index>(rank);
    Posted& posted = rounds_[actor];
    posted.actions.clear();
    posted.bytes.clear();
    for (const PostedAction& action : round) {
      const auto position = static_cast<Rank>(posted.bytes.size());
      posted.actions.push_back({action.kind, action.peer, {position, 1}});
      posted.bytes.push_back(action.bytes);
    }
    return actor;
  }

  /// Returns the actor whose round has ended since the last call, if any.
  std::optional<Index> ended() { return std::exchange(ended_, std::nullopt); }

  Index size() const { return static_cast<Index>(all_.size()); }
  Actor& operator[](Index actor) { return all_[actor]; }
  const Actor& operator[](Index actor) const { return all_[actor]; }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  Rank rank_of(Index actor) const { return static_cast<Rank>(actor % static_cast<Index>(ranks_)); }
  /// The lane's number in this class, and its number for the caller.
  Index lane_of(Index actor) const { return actor / static_cast<Index>(ranks_); }
  std::int32_t outer_lane_of(Index actor) const { return lanes_[lane_of(actor)]; }
  Index actor_of(Rank rank, Index lane) const {
    return lane * static_cast<Index>(ranks_) + static_cast<Index>(rank);
  }
  Index peer_of(Index actor, const Action& action) const {
    return actor_of(action.peer, lane_of(actor));
  }
  Bytes bytes_of(Index actor, const Action& action) const {
    return rounds_[actor].bytes[static_cast<std::size_t>(action.chunks.first)];
  }

  /// What the actions name is not known here, only how many bytes.
  bool share_elements(const Action&, const Action&) const { return false; }

  /// Ends the last round: the next one comes from the caller.
  bool next(Index actor) {
    ended_ = actor;
    return false;
  }
  Round round(Index actor) const { return rounds_[actor].actions; }

 private:
  struct Posted {
    std::vector<Action> actions;  // their chunks are positions in `bytes`
    std::vector<Bytes> bytes;
  };

  Rank ranks_;
  std::unordered_map<std::int32_t, Index> places_;  // the first actor of each lane
  std::vector<std::int32_t> lanes_;                 // by place
  std::vector<Actor> all_;
  std::vector<Posted> rounds_;  // of each actor
  std::optional<Index> ended_;
};

}  // namespace arlab::simulator
