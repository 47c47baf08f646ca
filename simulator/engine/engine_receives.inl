// Receives: a message waits until its rank can receive it, and then until its receive is posted.
#pragma once

#include <algorithm>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

template <class Source>
void Engine<Source>::arrive(const Event& e) {
  if (e.source == kTeam) return end_transfer(e.depth, e.time);
  const Rank target = actors_.rank_of(e.actor);
  Waiting& w = waiting(target);
  if (!w.messages.empty()) return messages_.append(w.messages, e);
  const Time when = network_.can_receive(target, e.time);
  if (when == e.time &&
      !(can_send(target, e.time) && messages_.front(w.sends).time < e.time - flight_))
    return receive(e, e.time);
  messages_.append(w.messages, e);
  wake_at(target, when, e.time);
}

// Of a send and a message of the same time the message goes first.
template <class Source>
void Engine<Source>::wake(const Event& e) {
  const Rank rank = static_cast<Rank>(e.actor);
  const Time now = e.time, scheduled{e.bytes};
  Waiting& w = waiting(rank);
  if (e.depth != w.wakes) return;  // an earlier one has taken its place
  w.wake = kNever;
  Time when{};
  for (;;) {
    const Time send = w.sends.empty() ? kNever : network_.can_send(rank, now),
               receives = w.messages.empty() ? kNever : network_.can_receive(rank, now);
    when = std::min(send, receives);
    if (when > now) break;
    const Time since = send > now ? kNever : messages_.front(w.sends).time,
               sent = receives > now ? kNever : messages_.front(w.messages).time - flight_;
    // What else happens at this time was perhaps scheduled before: then the rank wakes after it.
    if (scheduled < std::min(since, sent) && scheduled < now && (changes_ || queue_.upcoming(0)))
      break;
    if (since < sent)
      send_waiting(w, now);
    else
      receive(messages_.take(w.messages), now);
  }
  if (when < kNever) push_wake(rank, when, now);
}

template <class Source>
[[gnu::noinline]] void Engine<Source>::wake_at(Rank rank, Time when, Time now) {
  if (when < waiting(rank).wake) push_wake(rank, when, now);
}

template <class Source>
inline void Engine<Source>::push_wake(Rank rank, Time when, Time now) {
  Waiting& w = waiting(rank);
  w.wake = when;
  schedule(Kind::wake, static_cast<Index>(rank), when, now, ++w.wakes);
}

// The rank receives the message's bytes, whether or not the receive is posted.
template <class Source>
void Engine<Source>::receive(const Event& e, Time now) {
  const Time done = network_.receive({e.source, actors_.rank_of(e.actor), e.bytes}, now);
  if (tracer_) tracer_->receive(e.actor, e.source, e.bytes, now, done, e.late);
  Actor& a = actors_[e.actor];
  const bool posted = e.posted || a.pending.take(e.source, false) != PendingActions::kNone;
  if (posted) return deliver(e, now, done);
  Event received = e;
  received.time = done;
  messages_.append(unexpected_[pair_key(e.actor, e.source)], received);
  ++a.unexpected;
}

template <class Source>
void Engine<Source>::match_unexpected(Index id, Time now) {
  Actor& a = actors_[id];
  const Round round = a.pending.round();
  for (const Action& action : round) {
    if (action.sends()) continue;
    const auto from_peer = unexpected_.find(pair_key(id, action.peer));
    if (from_peer == unexpected_.end() ||
        a.pending.take(action.peer, false) == PendingActions::kNone)
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
    // With several lanes, in the order of all rounds that are complete at this time: whether a
    // round's last message is one sent or received must not matter.
    if (a.done == done && !sorts_lanes_)
      complete_round_and_reduce(e.actor, now);
    else
      complete_round(e.actor, now);
  }
  if (!e.rendezvous) return;
  network_.on_rendezvous(e.source, now);
  const Index sender = actors_.actor_of(e.source, actors_.lane_of(e.actor));
  if (complete_message(actors_[sender], now)) complete_round(sender, now);
}

}  // namespace arlab::simulator
