// Rounds: an actor starts its next round, and finishes it with its reductions when all its messages
// are complete.
#pragma once

#include <algorithm>
#include <type_traits>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

template <class Source>
bool Engine<Source>::next_round(Index id) {
  if constexpr (std::is_base_of_v<Actors, Source>)
    if (repeats_) return repeats_->next(id);
  return actors_.next(id);
}

template <class Source>
Round Engine<Source>::round_of(Index id) const {
  if constexpr (std::is_base_of_v<Actors, Source>)
    if (repeats_) return repeats_->round(id);
  return actors_.round(id);
}

template <class Source>
void Engine<Source>::begin(Index id, Time now, Time since) {
  while (next_round(id))
    if (post(id, now, since)) return;
  if constexpr (requires { actors_.end_round(id, now, since); }) actors_.end_round(id, now, since);
  actors_[id].pending.post({});  // its round was part of the program
  now = in_calendar(now + skipped_);
  Time& finish = outcome_.finish_of[static_cast<std::size_t>(actors_.rank_of(id))];
  finish = std::max(finish, now);
  outcome_.finish = std::max(outcome_.finish, now);
}

// Returns false if the round has no messages: such a round is over at once.
template <class Source>
bool Engine<Source>::post(Index id, Time now, Time since) {
  Actor& a = actors_[id];
  const Round round = round_of(id);
  if (tracer_) tracer_->round(id);
  a.pending.post(round);
  a.done = now;
  a.next_depth = a.depth + 1;
  a.next_send = 0;
  a.left = static_cast<Index>(round.size());
  bool has_transfers = false;
  for (std::size_t i = 0; i < round.size(); ++i)
    if (actors_.bytes_of(id, round[i]) == 0) {
      a.pending.drop(i);
      --a.left;
    } else if (round[i].in_team()) {
      a.pending.drop(i);  // what is pending has a peer
      has_transfers = true;
    }
  if (a.left == 0) {
    a.depth = a.next_depth;
    return false;
  }
  if (receives_)
    for (const Action& action : round)
      if (const Bytes bytes = actors_.bytes_of(id, action); !action.sends() && bytes > 0)
        network_.post_receive({.source = action.peer,
                               .target = actors_.rank_of(id),
                               .bytes = bytes,
                               .lane = actors_.lane_of(id)},
                              now);
  if (synchronous_) {
    match_posted(id, now);
    if (has_transfers) post_teams(id, now);
  } else {
    if (a.unexpected > 0) match_unexpected(id, now);
    send_from(id, now, since);
  }
  return true;
}

// The round's last message completes at actor.done, possibly in the future.
template <class Source>
void Engine<Source>::complete_round(Index id, Time now) {
  Actor& a = actors_[id];
  a.depth = a.next_depth;
  const Round round = a.pending.round();
  const bool reduces = std::any_of(round.begin(), round.end(),
                                   [](const Action& x) { return x.kind == ActionKind::reduce; });
  schedule(reduces ? Kind::finish : Kind::begin, id, std::max(now, a.done), now);
}

// As complete_round(), when receiving the last message occupied the processor until actor.done: the
// reductions follow immediately.
template <class Source>
void Engine<Source>::complete_round_and_reduce(Index id, Time now) {
  Actor& a = actors_[id];
  a.depth = a.next_depth;
  schedule(Kind::begin, id, reduce_all(id, a.done), now);
}

template <class Source>
void Engine<Source>::finish(Index id, Time now, Time since) {
  const Time end = reduce_all(id, now);
  if (end == now) return begin(id, now, since);
  schedule(Kind::begin, id, end, now);
}

// Runs the round's reductions in listed order from `now` on. Returns their end.
template <class Source>
Time Engine<Source>::reduce_all(Index id, Time now) {
  Time end = now;
  const Round round = actors_[id].pending.round();
  for (const Action& action : round) {
    if (action.kind != ActionKind::reduce) continue;
    const Bytes bytes = actors_.bytes_of(id, action);
    if (bytes == 0) continue;
    const bool sent = knows_sent_ && std::any_of(round.begin(), round.end(), [&](const Action& x) {
                        return x.sends() && actors_.share_elements(x, action);
                      });
    const Rank rank = actors_.rank_of(id);
    const Network::Work work = network_.reduce(rank, bytes, end, sent);
    end = in_calendar(work.end);
    if (tracer_ && work.end > work.begin)
      tracer_->reduce(id, action.peer, bytes, work.begin, work.end);
  }
  return end;
}

}  // namespace arlab::simulator
