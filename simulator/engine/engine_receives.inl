// Receives: a message waits until its rank can receive it, and then until its receive is posted.
#pragma once

#include <algorithm>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

template <class Source>
void Engine<Source>::arrive(const Event& e) {
  const Rank target = actors_.rank_of(e.actor);
  List& waiting = waiting_[static_cast<std::size_t>(target)];
  if (!waiting.empty()) return messages_.append(waiting, e);
  const Time when = network_.can_receive(target, e.time);
  if (when == e.time) return receive(e, e.time);
  messages_.append(waiting, e);
  queue_.push({.time = when, .actor = static_cast<Index>(target), .kind = Kind::wake});
}

template <class Source>
void Engine<Source>::wake(Rank rank, Time now) {
  List& waiting = waiting_[static_cast<std::size_t>(rank)];
  Time when = network_.can_receive(rank, now);
  while (when == now && !waiting.empty()) {
    receive(messages_.take(waiting), now);
    when = network_.can_receive(rank, now);
  }
  if (!waiting.empty())
    queue_.push({.time = when, .actor = static_cast<Index>(rank), .kind = Kind::wake});
}

// The rank receives the message's bytes, whether or not the receive is posted.
template <class Source>
void Engine<Source>::receive(Event e, Time now) {
  const Time done = network_.receive({e.source, actors_.rank_of(e.actor), e.bytes}, now);
  if (tracer_) tracer_->receive(e.actor, e.source, e.bytes, now, done, e.late);
  Actor& a = actors_[e.actor];
  const bool posted = e.posted || a.pending.take(e.source, false) != PendingActions::kNone;
  if (posted) return deliver(e, now, done);
  e.time = done;
  messages_.append(unexpected_[pair_key(e.actor, e.source)], e);
  ++a.unexpected;
}

template <class Source>
void Engine<Source>::match_unexpected(Index id, Time now) {
  Actor& a = actors_[id];
  const Round round = a.pending.round();
  for (const Action& action : round) {
    if (action.sends()) continue;
    const auto from_peer = unexpected_.find(pair_key(id, action.peer));
    if (from_peer == unexpected_.end() || a.pending.take(action.peer, false) == PendingActions::kNone)
      continue;
    const Event e = messages_.take(from_peer->second);
    if (from_peer->second.empty()) unexpected_.erase(from_peer);
    deliver(e, now, std::max(now, e.time));
    if (--a.unexpected == 0) return;
  }
}

// Matches a message that has been received with its posted receive: neither end waits any longer.
template <class Source>
void Engine<Source>::deliver(const Event& e, Time now, Time done) {
  Actor& a = actors_[e.actor];
  a.next_depth = std::max(a.next_depth, e.depth + 1);
  if (complete_message(a, done)) {
    if (a.done == done)
      complete_round_and_reduce(e.actor);
    else
      complete_round(e.actor, now);
  }
  if (!e.rendezvous) return;
  network_.on_rendezvous(e.source, now);
  const Index sender = actors_.actor_of(e.source, actors_.lane_of(e.actor));
  if (complete_message(actors_[sender], now)) complete_round(sender, now);
}

}  // namespace arlab::simulator
