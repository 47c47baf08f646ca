// Sends: messages leave in listed order; on a synchronous network only when their receive is
// posted.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

// Sends the messages that can leave now. The other sends of the round wait for the rank.
template <class Source>
void Engine<Source>::send_from(Index id, Time now, Time since) {
  Actor& a = actors_[id];
  const Rank rank = actors_.rank_of(id);
  const Round round = a.pending.round();
  for (; a.next_send < round.size(); ++a.next_send) {
    const Action& action = round[a.next_send];
    const Bytes bytes = bytes_sent(id, action);
    if (bytes == 0) continue;
    const Time when = network_.can_send(rank, now);
    if (when > now || !is_next(rank, now, since)) {
      send_later(id, bytes, since);
      return wake_at(rank, when, now);
    }
    if (!inject(id, action, bytes, now)) continue;
    ++a.next_send;
    return complete_round(id, now);
  }
}

// Whether a send goes before what waits for the rank.
template <class Source>
inline bool Engine<Source>::is_next(Rank rank, Time now, Time since) {
  const Waiting& w = waiting(rank);
  if (w.sends.empty() && w.messages.empty()) [[likely]]
    return true;
  if (!w.sends.empty() && messages_.front(w.sends).time <= since) return false;
  return !can_receive(rank, now) || since < messages_.front(w.messages).time - flight_;
}

template <class Source>
void Engine<Source>::send_later(Index id, Bytes bytes, Time since) {
  const Event send{.time = since, .bytes = bytes, .actor = id, .kind = Kind::send};
  messages_.insert(waiting(actors_.rank_of(id)).sends, send,
                   [](const Event& a, const Event& b) { return a.time < b.time; });
}

// Sends the first message that waits. The next one of its round takes its place.
template <class Source>
inline void Engine<Source>::send_waiting(Waiting& w, Time now) {
  const auto [id, bytes] =
      std::pair(messages_.front(w.sends).actor, messages_.front(w.sends).bytes);
  Actor& a = actors_[id];
  const Round round = a.pending.round();
  if (inject(id, round[a.next_send++], bytes, now)) {
    complete_round(id, now);
  } else {
    for (; a.next_send < round.size(); ++a.next_send)
      if (const Bytes next = bytes_sent(id, round[a.next_send]); next > 0) {
        messages_.front(w.sends).bytes = next;
        return;
      }
  }
  messages_.take(w.sends);
}

// Hands the message to the network. Returns whether this completes the round.
template <class Source>
bool Engine<Source>::inject(Index id, const Action& action, Bytes bytes, Time now) {
  Actor& a = actors_[id];
  const Index peer = actors_.peer_of(id, action);
  Event e{.bytes = bytes,
          .actor = peer,
          .source = actors_.name_for_peer(id, action),
          .depth = a.depth,
          .kind = Kind::arrive,
          .posted = synchronous_};
  const Index number = changes_ ? messages_.allocate(e) : 0;
  Message message{actors_.rank_of(id), action.peer, bytes, number, actors_.lane_of(id)};
  if (changes_) {
    message.turn = actors_.turn_of(id);
    message.round = a.depth;
  }
  const Network::Sent sent = network_.send(message, now);
  ++outcome_.sent.messages;
  outcome_.sent.elements += bytes / element_size_;
  report_progress();
  if (sent.arrives == kNever) {
    messages_.at(number).rendezvous = sent.rendezvous;
    messages_.at(number).late = true;
  } else {
    if (changes_) messages_.free(number);
    e.time = sent.arrives;
    e.rendezvous = sent.rendezvous;
    queue_.push(e);
  }
  const bool open = sent.sender_done == kNever;
  if (tracer_) tracer_->send(id, action, bytes, now, open ? now : sent.sender_done);
  if (open) return false;
  a.done = std::max(a.done, sent.sender_done);
  return !sent.rendezvous && --a.left == 0;
}

// The sender of a message whose end was unknown when it was sent may reuse its buffer.
template <class Source>
void Engine<Source>::complete_send(const Event& e) {
  const Index sender = actors_.actor_of(e.source, actors_.lane_of(e.actor));
  if (complete_message(actors_[sender], now_)) complete_round(sender, now_);
}

// On a synchronous network: matches the round's messages whose other end is posted.
template <class Source>
void Engine<Source>::match_posted(Index id, Time now) {
  const std::size_t queues = exclusive_ ? waiting_.size() : actors_.size();
  if (ready_.size() < queues) ready_.resize(queues);
  Actor& a = actors_[id];
  const Round round = a.pending.round();
  for (Index i = 0; i < round.size(); ++i) {
    const Action& action = round[i];
    if (actors_.bytes_of(id, action) == 0 || action.in_team()) continue;
    const Index peer = actors_.peer_of(id, action);
    const int theirs =
        actors_[peer].pending.take(actors_.name_for_peer(id, action), !action.sends());
    if (theirs == PendingActions::kNone) continue;
    a.pending.drop(i);
    if (action.sends())
      ready(id, i, static_cast<Index>(theirs), now);
    else
      ready(peer, static_cast<Index>(theirs), i, now);
  }
}

// Queues the send as an event: other ranks may start their rounds at the same time, and of all
// sends that are ready then, the one listed first leaves first.
template <class Source>
void Engine<Source>::ready(Index sender, Index position, Index received, Time now) {
  std::vector<ReadySend>& sends = ready_of(sender);
  if (sends.empty()) queue_.push({.time = now, .actor = sender, .kind = Kind::send});
  sends.push_back({actors_.order_of(sender), position, sender, received, now.count()});
  std::push_heap(sends.begin(), sends.end(), std::greater<>());
}

template <class Source>
void Engine<Source>::send_ready(Index id, Time now) {
  std::vector<ReadySend>& sends = ready_of(id);
  while (!sends.empty()) {
    const Time when = network_.can_send(actors_.rank_of(id), now);
    if (when > now) return queue_.push({.time = when, .actor = id, .kind = Kind::send});
    std::pop_heap(sends.begin(), sends.end(), std::greater<>());
    const ReadySend s = sends.back();
    sends.pop_back();
    const Action& action = actors_[s.actor].pending.round()[s.position];
    if (inject(s.actor, action, actors_.bytes_of(s.actor, action), now))
      complete_round(s.actor, now);
  }
}

// Each rank that may send does. Of those that send to one rank, that goes first whose message was
// ready first, then that whose receive is listed first: the numbers of ranks do not matter.
template <class Source>
void Engine<Source>::send_first() {
  requests_.clear();
  for (const Index id : senders_) {
    const ReadySend& first = ready_of(id).front();
    const Action& action = actors_[first.actor].pending.round()[first.position];
    requests_.push_back(
        {first.since, actors_.order_of(actors_.peer_of(first.actor, action)), first.received, id});
  }
  if (!std::is_sorted(requests_.begin(), requests_.end()))
    std::sort(requests_.begin(), requests_.end());
  for (const Request& r : requests_) send_ready(r.sender, now_);
  senders_.clear();
}

template <class Source>
void Engine<Source>::report_progress() {
  constexpr Count kInterval = Count{1} << 18;
  if (options_.progress && outcome_.sent.messages % kInterval == 0)
    options_.progress(outcome_.sent.messages);
}

}  // namespace arlab::simulator
