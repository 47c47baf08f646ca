// The order of events of a window sweep, and its only compilation.
#include "simulator/sweep/window_sweep.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulator/sweep/window_messages.inl"
#include "simulator/sweep/window_rounds.inl"

namespace arlab::simulator {

WindowSweep::WindowSweep(CompactRounds& rounds, Bytes element_size, const UniformCosts& costs,
                         Time latest)
    : rounds_(rounds),
      element_size_(element_size),
      costs_(costs),
      latest_(latest),
      delays_(costs.delay),
      by_size_(costs, rounds.sizes()),
      ranks_(index(rounds.ranks())),
      sends_(costs.delay.mean > Time{} ? index(rounds.ranks()) : 0),
      next_(rounds.ranks()),
      origins_(rounds.ranks()),
      mails_(origins_) {
  std::uninitialized_fill_n(ranks_.data(), rounds.ranks(), State{});
  if (costs.delay.mean > Time{}) std::uninitialized_fill_n(sends_.data(), rounds.ranks(), Sends{});
  // A class stands for ranks that begin at different places in the order of ranks.
  const bool has_order = !rounds.has_classes() && costs.delay.mean == Time{};
  for (Rank r = 0; r < rounds.ranks(); ++r) {
    next_.add(r, Time{});
    if (has_order) state(r).own_pushed = Origins::of_begin(r);
  }
  result_.finish_of.resize(index(rounds.ranks()));
  result_.engine = EngineKind::sweep;
}

std::optional<SimulationResult> WindowSweep::run() {
  const Time window = costs_.o + costs_.L;
  if (window <= Time{}) return {};
  Time begin{};
  while (begin != kNever) {
    const Time end = in_calendar(begin) + window;
    begin = pass(end);
    if (gives_up_ || rounds_.refused()) return {};
    if (begin > latest_ && begin != kNever) {
      result_.stopped = true;
      return std::move(result_);
    }
    // Ranks that wait for a far event are visited in every window.
    if (next_.visits() > 4 * (handled_ + Count{1024} + rounds_.ranks())) return {};
  }
  if (ended_ < rounds_.ranks()) return {};
  for (Rank r = 0; r < rounds_.ranks(); ++r)
    if (state(r).unexpected != kNoMail) return {};
  result_.sent.messages *= rounds_.weight();
  result_.sent.elements = sent_bytes_ / element_size_ * rounds_.weight();
  return std::move(result_);
}

// Handles all events before `end`. Returns the time of the next event.
inline Time WindowSweep::pass(Time end) {
  next_.pass(
      end, [&](Rank r) __attribute__((always_inline)) { prefetch(r); },
      [&](Rank r) { return gives_up_ ? kNever : handle(r, end); });
  put_all();
  return next_.earliest();
}

// Handles the rank's events before `end` in order. Returns the time of its next one.
inline Time WindowSweep::handle(Rank rank, Time end) {
  State& s = state(rank);
  for (;;) {
    const bool wakes = s.wake < s.own || (s.wake == s.own && s.wake != kNever && wake_is_first(s));
    const Time local = wakes ? s.wake : s.own;
    const Time arrival = s.inbox.slot.arrival;
    if (std::min(local, arrival) >= end) return std::min(local, arrival);
    ++handled_;
    const Origin pushed = wakes ? s.wake_pushed : s.own_pushed;
    if (arrival < local || (arrival == local && arrives_first(s, pushed))) {
      const Mail mail = take_first(s);
      origin_ = origins_.next(mail.sent, arrival);
      arrive(s, mail);
    } else if (wakes) {
      origin_ = origins_.next(pushed, local);
      wake(s, rank);
    } else {
      origin_ = origins_.next(pushed, local);
      const Time now = std::exchange(s.own, kNever);
      const Own kind = s.kind;
      const bool begins = kind == Own::begin || (kind == Own::finish && finish(s, now));
      if (begins && begin(s, rank, now))
        send_from(s, rank, now, std::max(Time{}, origins_.time(pushed)));
    }
    if (gives_up_) return kNever;
  }
}

inline bool WindowSweep::wake_is_first(const State& s) const {
  const Time wake = origins_.time(s.wake_pushed), own = origins_.time(s.own_pushed);
  return wake != own ? wake < own : s.own_is_newer;
}

// Whether the first message arrives before the rank's own event of the same time. Gives up if
// another one that arrives then might.
inline bool WindowSweep::arrives_first(const State& s, Origin pushed) {
  if (origins_.order(s.inbox.slot.sent, pushed) < 0) return true;
  for (const Mail* mail = &s.inbox.slot; mail->arrival == s.inbox.slot.arrival;
       mail = &mails_[mail->next]) {
    if (!(origins_.order(mail->sent, pushed) > 0)) gives_up_ = true;
    if (mail->next == kNoMail) break;
  }
  return false;
}

std::optional<SimulationResult> window_sweep(CompactRounds& rounds, Bytes element_size,
                                             const UniformCosts& costs, Time latest) {
  return WindowSweep(rounds, element_size, costs, latest).run();
}

}  // namespace arlab::simulator
