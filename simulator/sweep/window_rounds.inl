// Rounds: a rank's own events. It starts its next round, sends, and ends the round with its
// reductions.
#pragma once

#include <algorithm>

#include "simulator/sweep/window_sweep.hpp"

namespace arlab::simulator {

// Returns false after the rank's last round.
inline bool WindowSweep::begin(State& s, Rank rank, Time now) {
  std::span<const Step> round = rounds_.next(rank);
  for (; !round.empty() && round[0].kind == Step::idle; round = rounds_.next(rank)) {
    s.depth += static_cast<std::uint32_t>(round[0].peer);
    rounds_.check(rank, s.depth);
  }
  s.first = static_cast<std::uint8_t>(round.data() - rounds_.window(rank));
  s.size = static_cast<std::uint8_t>(round.size());
  s.taken = 0;
  if (round.empty()) {
    end_program(s, rank, now);
    return false;
  }
  s.done = now;
  s.next_depth = s.depth + 1;
  rounds_.check(rank, s.next_depth);
  s.next_send = 0;
  unsigned left = 0;
  bool reduces = false;
  for (const Step& step : round) {
    left += step.sends() + step.receives();
    reduces |= step.reduces();
  }
  s.left = static_cast<std::uint8_t>(left);
  s.reduces = reduces;
  s.source = s.size == 1 && round[0].receives() ? round[0].peer : kNobody;
  if (s.unexpected != kNoMail) match_unexpected(s, now);
  return true;
}

inline void WindowSweep::end_program(const State& s, Rank rank, Time now) {
  result_.finish_of[index(rank)] = now;
  result_.finish = std::max(result_.finish, now);
  result_.sent.rounds = std::max<Count>(result_.sent.rounds, s.depth);
  ++ended_;
}

inline void WindowSweep::push(State& s, Own kind, Time time) {
  s.own = in_calendar(time);
  s.own_pushed = origin_;
  s.kind = kind;
  s.own_is_newer = true;
}

inline void WindowSweep::send_from(State& s, Rank rank, Time now, Time since) {
  for (; s.next_send < s.size; ++s.next_send) {
    const Step& step = steps(s)[s.next_send];
    if (!step.sends()) continue;
    const Time when = sends_at(s, now);
    if (when > now ||
        (s.waiting != kNoMail && receives_at(s, now) == now && sent(mails_[s.waiting]) <= since)) {
      s.sends = true;
      s.own_pushed = Origin(since);
      return wake_at(s, when);
    }
    if (!send(s, rank, step, now)) continue;
    ++s.next_send;
    return complete(s, now);
  }
}

// Sends the message that waits. The next one of the round takes its place.
inline void WindowSweep::send_waiting(State& s, Rank rank, Time now) {
  const Step* const at = steps(s);
  if (send(s, rank, at[s.next_send++], now)) {
    s.sends = false;
    return complete(s, now);
  }
  while (s.next_send < s.size && !at[s.next_send].sends()) ++s.next_send;
  s.sends = s.next_send < s.size;
}

// Returns whether this completes the round.
inline bool WindowSweep::send(State& s, Rank rank, const Step& step, Time now) {
  const MessageCosts::OfSize& costs = costs_of(step.size);
  s.processor = now + costs_.o + costs.processor;
  s.send = now + costs_.g + costs.port;
  Letter& letter = post(rounds_.stand_in(step.peer));
  Mail& mail = letter.mail;  // member by member: a copy would wait for them
  mail.arrival = now + costs_.o + costs_.L;
  mail.sent = origin_;
  mail.source = rounds_.name_for(step.peer, rank);
  mail.size = step.size;
  mail.depth = s.depth;
  if (costs_.delay.mean > Time{}) make_late(letter);
  mail.arrival = in_calendar(mail.arrival);
  ++result_.sent.messages;
  sent_bytes_ += rounds_.size(step);
  s.done = std::max(s.done, s.processor);
  return --s.left == 0;
}

inline void WindowSweep::complete(State& s, Time now) {
  s.depth = s.next_depth;
  push(s, Own::finish, std::max(now, s.done));
}

// Returns whether the next round begins at once.
inline bool WindowSweep::finish(State& s, Time now) {
  const Time end = reduce_all(s, now);
  if (end == now) return true;
  push(s, Own::begin, end);
  return false;
}

inline Time WindowSweep::reduce_all(State& s, Time end) {
  if (!s.reduces) return end;
  if (costs_.gamma == 0) return s.processor = std::max(end, s.processor);
  for (const Step* step = steps(s); step < steps(s) + s.size; ++step)
    if (step->reduces())
      end = s.processor = std::max(end, s.processor) + costs_of(step->size).reduction;
  return end;
}

inline const Step* WindowSweep::steps(const State& s) const {
  return rounds_.window(static_cast<Rank>(&s - ranks_.data())) + s.first;
}

}  // namespace arlab::simulator
