// Messages: from the inbox of a rank to the receive of its round.
#pragma once

#include <algorithm>

#include "simulator/sweep/window_sweep.hpp"

namespace arlab::simulator {

inline void WindowSweep::arrive(State& s, const Mail& mail) {
  const Time now = mail.arrival;
  if (s.waiting != kNoMail) return add(s.waiting, mail);
  const Time when = receives_at(s, now);
  if (when == now &&
      !(s.sends && sends_at(s, now) == now && s.own_pushed.time() < sent(mail)))
    return receive(s, mail, now);
  add(s.waiting, mail);
  wake_at(s, when);
}

inline void WindowSweep::add(std::uint32_t& list, const Mail& mail) {
  if (!mails_.append(list, mail)) gives_up_ = true;
}

inline void WindowSweep::wake_at(State& s, Time when) {
  if (when >= s.wake) return;
  s.wake = in_calendar(when);
  s.wake_pushed = origin_;
  s.own_is_newer = false;
}

inline void WindowSweep::wake(State& s, Rank rank) {
  const Time now = std::exchange(s.wake, kNever);
  for (;;) {
    const Time send = s.sends ? sends_at(s, now) : kNever,
               received = s.waiting != kNoMail ? receives_at(s, now) : kNever,
               when = std::min(send, received);
    if (when > now) return wake_at(s, when);
    const Time since = send == now ? s.own_pushed.time() : kNever;
    const Time first = received == now ? sent(mails_[s.waiting]) : kNever;
    const Time scheduled = origins_.time(s.wake_pushed);
    if (scheduled < std::min(since, first) && scheduled < now) return wake_at(s, now);
    if (first <= since)
      receive(s, mails_.take_at(s.waiting), now);
    else
      send_waiting(s, rank, now);
  }
}

inline void WindowSweep::receive(State& s, const Mail& mail, Time now) {
  const MessageCosts::OfSize& costs = costs_of(mail.size);
  s.processor = now + costs_.o + std::max(costs.processor, costs.port);
  s.receive = now + costs_.g + costs.port;
  const int posted = find_posted(s, mail.source);
  if (posted >= 0) {
    s.taken |= 1u << posted;
    return deliver(s, mail.depth, now, s.processor);
  }
  Mail received = mail;
  received.arrival = s.processor;
  add(s.unexpected, received);
}

inline void WindowSweep::match_unexpected(State& s, Time now) {
  const Step* const at = steps(s);
  for (int i = 0; i < s.size && s.unexpected != kNoMail; ++i) {
    if (!at[i].receives() || (s.taken >> i & 1)) continue;
    std::uint32_t* place = &s.unexpected;
    while (*place != kNoMail && mails_[*place].source != at[i].peer) place = &mails_[*place].next;
    if (*place == kNoMail) continue;
    const Mail mail = mails_.take_at(*place);
    s.taken |= 1u << i;
    deliver(s, mail.depth, now, std::max(now, mail.arrival));
  }
}

// Returns the place in the round of the first open receive from the rank, or -1.
inline int WindowSweep::find_posted(const State& s, Rank source) const {
  if (s.size == 1) return s.source == source && s.taken == 0 ? 0 : -1;
  const Step* const at = steps(s);
  for (int i = 0; i < s.size; ++i)
    if (at[i].peer == source && at[i].receives() && !(s.taken >> i & 1)) return i;
  return -1;
}

inline void WindowSweep::deliver(State& s, std::uint32_t depth, Time now, Time done) {
  s.next_depth = std::max(s.next_depth, depth + 1);
  s.done = std::max(s.done, done);
  if (--s.left > 0) return;
  s.depth = s.next_depth;
  if (s.done == done)
    push(s, Own::begin, reduce_all(s, done));
  else
    push(s, Own::finish, std::max(now, s.done));
}

// Returns the place of a new message for the target, to be filled in. The memory of the target is
// loaded while other messages are sent. Nothing arrives in this window.
inline WindowSweep::Letter& WindowSweep::post(Rank target) {
  __builtin_prefetch(&state(target).inbox, 1);
  next_.prefetch(target);
  Letter& letter = posted_[posts_ % posted_.size()];
  if (posts_++ >= posted_.size()) put(letter);
  letter.target = target;
  return letter;
}

// There are no classes where messages are late, so that all ranks have their own names.
inline void WindowSweep::make_late(Letter& letter) {
  Sends& sends = sends_.data()[index(letter.mail.source)];
  letter.mail.arrival += delays_(letter.mail.source, sends.messages++);
  const std::uint32_t target =
      1u << (static_cast<std::uint32_t>(letter.target) * 0x9E3779B1u >> 27);
  letter.follows = (sends.targets & target) != 0;
  sends.targets |= target;
}

// A message does not overtake those of its pair. They are in the inbox, since nothing that leaves
// in this window arrives in it.
inline void WindowSweep::put(Letter& letter) {
  if (letter.follows)
    letter.mail.arrival =
        mails_.after_others(state(letter.target).inbox, letter.mail.source, letter.mail.arrival);
  if (!mails_.put(state(letter.target).inbox, letter.mail)) gives_up_ = true;
  next_.add(letter.target, letter.mail.arrival);
}

// Puts all messages into their inboxes that are not, in the order in which they were posted.
inline void WindowSweep::put_all() {
  const std::size_t kept = std::min(posts_, posted_.size());
  for (std::size_t i = posts_ - kept; i < posts_; ++i) put(posted_[i % posted_.size()]);
  posts_ = 0;
}

inline Mail WindowSweep::take_first(State& s) {
  Mail first = mails_.take(s.inbox);
  if (s.inbox.slot.arrival == first.arrival) check_order(s, first);
  return first;
}

// Gives up if a message that arrives together with the first one may be before it, and that
// matters. If it does not, what follows from either of them has no known order.
inline void WindowSweep::check_order(State& s, Mail& first) {
  for (Mail* other = &s.inbox.slot; other->arrival == first.arrival; other = &mails_[other->next]) {
    if (other->source != first.source && !(origins_.order(first.sent, other->sent) < 0)) {
      if (!can_swap(s, first, *other)) gives_up_ = true;
      first.sent = origins_.forgotten(first.sent);
      other->sent = origins_.forgotten(other->sent);
    }
    if (other->next == kNoMail) return;
  }
}

// Whether the rank does the same at the same times in both orders of two messages that arrive
// together.
inline bool WindowSweep::can_swap(const State& s, const Mail& a, const Mail& b) const {
  return a.size == b.size && find_posted(s, a.source) >= 0 && find_posted(s, b.source) >= 0;
}

}  // namespace arlab::simulator
