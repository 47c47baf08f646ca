// ExternalRounds: actors that receive their rounds from the caller, one at a time, on any lane.
//
// A rank has an actor on each lane on which it has had a round, or a peer's round has named it:
// 16,384 ranks that talk to few others on lanes of their own need memory for these alone.
#pragma once

#include <cstdint>
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

/// What else the caller knows of a round.
struct RoundStart {
  Turn turn{};                  ///< of the lane; lanes of other calls have other channels
  std::optional<Time> since{};  ///< when it was known that it starts; else as the lane's last ended
  std::optional<std::uint32_t> listed{};  ///< its place among its rank's; else its lane's
};

class ExternalRounds {
 public:
  using Index = Actors::Index;  ///< in the order of their first use

  explicit ExternalRounds(Rank ranks) : ranks_(ranks) {}

  /// Gives the round to the actor of that rank and lane. Returns the actor.
  Index take(Rank rank, std::int32_t lane, std::span<const PostedAction> round,
             const RoundStart& how = {}) {
    const auto [place, is_new] = places_.emplace(lane, static_cast<Index>(places_.size()));
    if (is_new) lanes_.push_back(lane);
    const Index actor = find_or_add(rank, place->second);
    targets_.clear();
    for (const PostedAction& action : round)
      targets_.push_back(&action != round.data() && (&action)[-1].peer == action.peer
                             ? targets_.back()
                             : find_or_add(action.peer, place->second));
    Posted& posted = rounds_[actor];  // after all are added
    posted.turn = how.turn;
    posted.listed = how.listed.value_or(static_cast<std::uint32_t>(lane));
    posted.actions.clear();
    posted.messages.clear();
    for (std::size_t i = 0; i < round.size(); ++i) {
      posted.actions.push_back({round[i].kind, round[i].peer, {static_cast<Rank>(i), 1}});
      posted.messages.push_back({round[i].bytes, targets_[i]});
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

  Rank rank_of(Index actor) const { return ends_[actor].rank; }
  Rank name_for_peer(Index actor, const Action& /*action*/) const { return rank_of(actor); }
  /// The lane's number in this class, and its number for the caller.
  Index lane_of(Index actor) const { return ends_[actor].lane; }
  std::int32_t outer_lane_of(Index actor) const { return lanes_[lane_of(actor)]; }
  bool has_lanes() const { return true; }  // perhaps
  /// Returns the actor, which must exist.
  Index actor_of(Rank rank, Index lane) const { return actors_.at(key(rank, lane)); }
  Index peer_of(Index actor, const Action& action) const { return message(actor, action).peer; }
  Bytes bytes_of(Index actor, const Action& action) const { return message(actor, action).bytes; }

  /// The actor's round ends, which was scheduled at `since`.
  void end_round(Index actor, Time now, Time since) {
    rounds_[actor].ended = now;
    rounds_[actor].since = since;
  }
  /// Returns since when it is known that the actor's next round begins at `now`.
  Time known_since(Index actor, Time now) const {
    return rounds_[actor].ended == now ? rounds_[actor].since : now;
  }
  Turn turn_of(Index actor) const { return rounds_[actor].turn; }
  /// The place of the actor's round among those of its rank.
  std::uint64_t order_of(Index actor) const {
    return in_order(rounds_[actor].turn, rounds_[actor].listed);
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
  struct Message {
    Bytes bytes = 0;
    Index peer = 0;  // the actor at its other end
  };
  struct Posted {
    std::vector<Action> actions;  // their chunks are positions in `messages`
    std::vector<Message> messages;
    Turn turn{};
    std::uint32_t listed = 0;
    Time ended{-1}, since{};  // of the last round
  };
  struct End {
    Rank rank = 0;
    Index lane = 0;
  };

  static std::uint64_t key(Rank rank, Index lane) {
    return static_cast<std::uint64_t>(lane) << 32 | static_cast<std::uint32_t>(rank);
  }
  Index find_or_add(Rank rank, Index lane) {
    expects(rank >= 0 && rank < ranks_, "a round names a rank that does not exist");
    const auto [found, is_new] = actors_.emplace(key(rank, lane), size());
    if (is_new) {
      ends_.push_back({rank, lane});
      all_.emplace_back();
      rounds_.emplace_back();
    }
    return found->second;
  }
  const Message& message(Index actor, const Action& action) const {
    return rounds_[actor].messages[static_cast<std::size_t>(action.chunks.first)];
  }

  Rank ranks_;
  std::unordered_map<std::int32_t, Index> places_;   // by lane
  std::vector<std::int32_t> lanes_;                  // by place
  std::unordered_map<std::uint64_t, Index> actors_;  // by rank and place of the lane
  std::vector<End> ends_;                            // of each actor
  std::vector<Actor> all_;
  std::vector<Posted> rounds_;  // of each actor
  std::vector<Index> targets_;  // of a new round
  std::optional<Index> ended_;
};

}  // namespace arlab::simulator
