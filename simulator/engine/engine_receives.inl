// Receives: a message waits until its rank is free to take it in, and then until its receive is
// posted.
#pragma once

#include <algorithm>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

template <class Source>
void Engine<Source>::arrive(const Event& e) {
  const Rank target = actors_.rank_of(e.actor);
  Chain& parked = parked_[static_cast<std::size_t>(target)];
  if (!parked.empty()) return messages_.append(parked, e);
  const Time when = network_.can_receive(target, e.time);
  if (when == e.time) return receive(e, e.time);
  messages_.append(parked, e);
  queue_.push({.time = when, .actor = static_cast<Index>(target), .kind = Kind::wake});
}

template <class Source>
void Engine<Source>::wake(Rank rank, Time now) {
  Chain& parked = parked_[static_cast<std::size_t>(rank)];
  Time when = network_.can_receive(rank, now);
  while (when == now && !parked.empty()) {
    receive(messages_.take(parked), now);
    when = network_.can_receive(rank, now);
  }
  if (!parked.empty())
    queue_.push({.time = when, .actor = static_cast<Index>(rank), .kind = Kind::wake});
}

// The message's bytes come in, whether or not its receive is posted.
template <class Source>
void Engine<Source>::receive(Event e, Time now) {
  const Time done = network_.receive({e.source, actors_.rank_of(e.actor), e.bytes}, now);
  if (tracer_) tracer_->receive(e.actor, e.source, e.bytes, now, done, e.later);
  Actor& a = actors_[e.actor];
  const bool posted = e.posted || a.pending.take(e.source, false) != PendingActions::kNone;
  if (posted) return met(e, now, done);
  e.time = done;
  messages_.append(early_[pair_key(e.actor, e.source)], e);
  ++a.early;
}

template <class Source>
void Engine<Source>::meet_early(Index id, Time now) {
  Actor& a = actors_[id];
  const Round round = a.pending.round();
  for (const Action& action : round) {
    if (action.sends()) continue;
    const auto from_peer = early_.find(pair_key(id, action.peer));
    if (from_peer == early_.end() || a.pending.take(action.peer, false) == PendingActions::kNone) continue;
    const Event e = messages_.take(from_peer->second);
    if (from_peer->second.empty()) early_.erase(from_peer);
    met(e, now, std::max(now, e.time));
    if (--a.early == 0) return;
  }
}

// A message has come in and its receive is posted: from now on neither end waits for the other.
template <class Source>
void Engine<Source>::met(const Event& e, Time now, Time done) {
  Actor& a = actors_[e.actor];
  a.next_depth = std::max(a.next_depth, e.depth + 1);
  if (through_with_one(a, done)) {
    if (a.done == done)
      through_at_once(e.actor);
    else
      through(e.actor, now);
  }
  if (!e.rendezvous) return;
  network_.met(e.source, now);
  const Index sender = actors_.actor_of(e.source, actors_.lane_of(e.actor));
  if (through_with_one(actors_[sender], now)) through(sender, now);
}

}  // namespace arlab::simulator
