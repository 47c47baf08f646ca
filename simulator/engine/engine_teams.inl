// Transfers of teams: one starts when all members have posted their actions, and ends for all at
// once.
#pragma once

#include <algorithm>
#include <utility>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

template <class Source>
void Engine<Source>::post_teams(Index id, Time now) {
  if constexpr (requires { actors_.problem_of_lane(Index{}); }) {
    const Round round = actors_[id].pending.round();
    for (Index i = 0; i < round.size(); ++i) {
      if (!round[i].in_team() || actors_.bytes_of(id, round[i]) == 0) continue;
      for (auto lane = static_cast<Index>(teams_.size()); lane < actors_.lanes(); ++lane)
        teams_.emplace_back(actors_.problem_of_lane(lane));
      auto parts = teams_[actors_.lane_of(id)].post(round[i].peer, actors_.rank_of(id), {id, i});
      if (!parts.empty()) start_transfer(id, std::move(parts), now);
    }
  }
}

template <class Source>
void Engine<Source>::start_transfer(Index last, std::vector<TeamPart> parts, Time now) {
  std::vector<Rank> members, givers, takers;
  for (const TeamPart& part : parts) {
    const Action& action = actors_[part.place.actor].pending.round()[part.place.position];
    members.push_back(part.rank);
    if (action.gives()) givers.push_back(part.rank);
    if (action.takes()) takers.push_back(part.rank);
  }
  const TeamPlace first = parts.front().place;
  const Bytes bytes =
      actors_.bytes_of(first.actor, actors_[first.actor].pending.round()[first.position]);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<Index>(transfers_.size()));
    transfers_.emplace_back();
  }
  const Index slot = free_slots_.back();
  free_slots_.pop_back();
  const Index number = messages_.allocate(
      {.bytes = bytes, .actor = first.actor, .source = kTeam, .depth = slot, .kind = Kind::arrive});
  network_.adding()->send({.members = members,
                           .givers = givers,
                           .takers = takers,
                           .bytes = bytes,
                           .number = number,
                           .lane = actors_.lane_of(first.actor),
                           .turn = actors_.turn_of(first.actor),
                           .round = actors_[first.actor].depth},
                          now);
  outcome_.sent.messages += static_cast<Count>(givers.size());
  outcome_.sent.elements += static_cast<Count>(givers.size()) * (bytes / element_size_);
  transfers_[slot] = {std::move(parts), last, now};
  report_progress();
}

// In a trace each taker takes from one giver, the one that was ready last if it was one, and each
// other giver gives to the first taker.
template <class Source>
void Engine<Source>::end_transfer(Index slot, Time now) {
  const Transfer transfer = std::exchange(transfers_[slot], {});
  free_slots_.push_back(slot);
  std::vector<Index> givers, takers;
  Index depth = 0;
  for (const auto& [rank, place] : transfer.parts) {
    const Action& action = actors_[place.actor].pending.round()[place.position];
    if (action.gives()) givers.push_back(place.actor);
    if (action.gives()) depth = std::max(depth, actors_[place.actor].depth + 1);
    if (action.takes()) takers.push_back(place.actor);
  }
  for (const Index taker : takers)
    actors_[taker].next_depth = std::max(actors_[taker].next_depth, depth);
  if (tracer_) {
    const TeamPlace first = transfer.parts.front().place;
    const Bytes bytes =
        actors_.bytes_of(first.actor, actors_[first.actor].pending.round()[first.position]);
    const bool gives = std::find(givers.begin(), givers.end(), transfer.last) != givers.end();
    const Index one = gives ? transfer.last : givers.back();
    for (const Index taker : takers) tracer_->transfer(one, taker, bytes, transfer.begin, now);
    for (const Index giver : givers)
      if (giver != one) tracer_->transfer(giver, takers.front(), bytes, transfer.begin, now);
  }
  for (const TeamPart& part : transfer.parts)
    if (complete_message(actors_[part.place.actor], now)) complete_round(part.place.actor, now);
}

}  // namespace arlab::simulator
