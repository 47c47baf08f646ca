// Window sweep: processors that overlap with the network (loggops), eager messages.
//
// A window is shorter than the time from a send to its arrival, so all arrivals within it are known
// when it begins. In each window every rank handles its own events in order: the engine's begin, send,
// arrive, wake, and finish (simulator/engine/engine.hpp), of which at most one of its own, one wake,
// and arrivals are open at a time. The engine breaks ties of events by the time at which each was
// scheduled, and so on back to the begin. Two levels of that decide nearly all ties; the rest end the
// sweep. The idea of windows: Lubachevsky, Efficient distributed event-driven simulations of
// multiple-loop networks, CACM 32(1), 1989.
#include <algorithm>
#include <memory>

#include "simulator/noise/message_delays.hpp"
#include "simulator/sweep/large_array.hpp"
#include "simulator/sweep/mails.hpp"
#include "simulator/sweep/rank_set.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

class WindowSweep {
 public:
  WindowSweep(CompactRounds& rounds, Bytes element_size, const UniformCosts& costs, Time latest)
      : rounds_(rounds),
        element_size_(element_size),
        costs_(costs),
        latest_(latest),
        delays_(rounds.ranks(), costs.delay),
        ranks_(index(rounds.ranks())),
        next_(index(rounds.ranks())),
        active_(rounds.ranks()) {
    std::uninitialized_fill_n(ranks_.data(), rounds.ranks(), State{});
    for (Rank r = 0; r < rounds.ranks(); ++r) active_.insert(r);
    result_.finish_of.resize(index(rounds.ranks()));
    result_.engine = EngineKind::sweep;
  }

  std::optional<SimulationResult> run() {
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
      if (visits_ > 64 * (handled_ + Count{1024} + rounds_.ranks())) return {};
    }
    if (ended_ < rounds_.ranks()) return {};
    for (Rank r = 0; r < rounds_.ranks(); ++r)
      if (state(r).unexpected != kNoMail) return {};
    result_.sent.messages *= rounds_.weight();
    result_.sent.elements = sent_bytes_ / element_size_ * rounds_.weight();
    return std::move(result_);
  }

 private:
  enum class Own : std::uint8_t { begin, send, finish };

  struct alignas(64) State {
    Time processor{}, send{}, receive{};  // when each is free
    Time own{}, own_pushed{};             // its own event; kNever: none
    Time done{};                          // end of the latest completed message
    Inbox inbox;
    std::uint32_t depth = 0, next_depth = 0;
    std::uint32_t taken = 0;             // receives of the round, a mask
    std::uint32_t waiting = kNoMail;     // arrived, but the rank is busy
    std::uint32_t unexpected = kNoMail;  // received before their receive was posted
    std::uint8_t left = 0;               // messages of the round that are not complete
    std::uint8_t first = 0, size = 0;    // of the round's steps, in the rank's window
    std::uint8_t next_send = 0;
    Time wake = kNever, wake_pushed{};
    Own kind = Own::begin;
    bool own_is_newer = false;  // than the wake
  };
  static_assert(sizeof(State) == 128);

  State& state(Rank rank) { return ranks_.data()[index(rank)]; }

  struct SizeCosts {
    Time processor{}, port{}, reduction{};
  };
  const SizeCosts& costs_of(std::uint32_t size) {
    while (size >= by_size_.size()) {
      const auto bytes = static_cast<double>(rounds_.sizes()[by_size_.size()]);
      by_size_.push_back({to_time((bytes - 1) * costs_.O), to_time((bytes - 1) * costs_.G),
                          to_time(bytes * costs_.gamma)});
      if (bytes > costs_.S) gives_up_ = true;  // a rendezvous reaches the sender at once
    }
    return by_size_[size];
  }

  // Handles all events before `end`. Returns the time of the next event.
  Time pass(Time end) {
    earliest_ = kNever;
    for (Rank r = active_.next(0); r != RankSet::kNone; r = active_.next(r + 1)) {
      ++visits_;
      if (next_[index(r)] < end) {
        next_[index(r)] = handle(r, end);
        if (gives_up_) return kNever;
      }
      if (next_[index(r)] == kNever)
        active_.erase(r);
      else
        earliest_ = std::min(earliest_, next_[index(r)]);
    }
    return earliest_;
  }

  // Handles the rank's events before `end` in order. Returns the time of its next one.
  Time handle(Rank rank, Time end) {
    State& s = state(rank);
    for (;;) {
      const bool wakes =
          s.wake < s.own || (s.wake == s.own && s.wake != kNever && wake_is_first(s));
      const Time local = wakes ? s.wake : s.own, pushed = wakes ? s.wake_pushed : s.own_pushed;
      const Time arrival = s.inbox.slot.arrival;
      if (std::min(local, arrival) >= end) return std::min(local, arrival);
      ++handled_;
      if (arrival < local || (arrival == local && s.inbox.slot.sent < pushed)) {
        arrive(s, take_first(s));
      } else if (arrival == local && s.inbox.slot.sent == pushed) {
        gives_up_ = true;
      } else if (wakes) {
        wake(s);
      } else {
        const Time now = std::exchange(s.own, kNever);
        if (s.kind == Own::begin)
          begin(s, rank, now);
        else if (s.kind == Own::send)
          send_from(s, rank, now);
        else
          finish(s, rank, now);
      }
      if (gives_up_) return kNever;
    }
  }

  static bool wake_is_first(const State& s) {
    return s.wake_pushed != s.own_pushed ? s.wake_pushed < s.own_pushed : s.own_is_newer;
  }

  // Its own events.

  void begin(State& s, Rank rank, Time now) {
    std::span<const Step> round = rounds_.next(rank);
    for (; !round.empty() && round[0].kind == Step::idle; round = rounds_.next(rank)) {
      s.depth += static_cast<std::uint32_t>(round[0].peer);
      rounds_.check(rank, s.depth);
    }
    s.first = static_cast<std::uint8_t>(round.data() - rounds_.window(rank));
    s.size = static_cast<std::uint8_t>(round.size());
    s.taken = 0;
    if (round.empty()) return end_program(s, rank, now);
    s.done = now;
    s.next_depth = s.depth + 1;
    rounds_.check(rank, s.next_depth);
    s.next_send = 0;
    s.left = 0;
    for (const Step& step : round)
      s.left = static_cast<std::uint8_t>(s.left + step.sends() + step.receives());
    if (s.unexpected != kNoMail) match_unexpected(s, now);
    send_from(s, rank, now);
  }

  void end_program(const State& s, Rank rank, Time now) {
    result_.finish_of[index(rank)] = now;
    result_.finish = std::max(result_.finish, now);
    result_.sent.rounds = std::max<Count>(result_.sent.rounds, s.depth);
    ++ended_;
  }

  void push(State& s, Own kind, Time time, Time now) {
    s.own = in_calendar(time);
    s.own_pushed = now;
    s.kind = kind;
    s.own_is_newer = true;
  }

  void send_from(State& s, Rank rank, Time now) {
    for (; s.next_send < s.size; ++s.next_send) {
      const Step& step = steps(s)[s.next_send];
      if (!step.sends()) continue;
      const Time when = std::max({now, s.processor, s.send});
      if (when > now) return push(s, Own::send, when, now);
      const SizeCosts& costs = costs_of(step.size);
      s.processor = now + costs_.o + costs.processor;
      s.send = now + costs_.g + costs.port;
      const Time arrival = delays_.late(rank, step.peer, now, now + costs_.o + costs_.L);
      deposit(rounds_.stand_in(step.peer),
              {in_calendar(arrival), now, rounds_.name_for(step.peer, rank), step.size, s.depth});
      ++result_.sent.messages;
      sent_bytes_ += rounds_.size(step);
      s.done = std::max(s.done, s.processor);
      if (--s.left > 0) continue;
      ++s.next_send;
      s.depth = s.next_depth;
      return push(s, Own::finish, std::max(now, s.done), now);
    }
  }

  void finish(State& s, Rank rank, Time now) {
    const Time end = reduce_all(s, now);
    if (end == now) return begin(s, rank, now);
    push(s, Own::begin, end, now);
  }

  Time reduce_all(State& s, Time end) {
    for (const Step* step = steps(s); step < steps(s) + s.size; ++step)
      if (step->reduces())
        end = s.processor = std::max(end, s.processor) + costs_of(step->size).reduction;
    return end;
  }

  const Step* steps(const State& s) const {
    return rounds_.window(static_cast<Rank>(&s - ranks_.data())) + s.first;
  }

  // Messages.

  void arrive(State& s, const Mail& mail) {
    const Time now = mail.arrival;
    if (s.waiting != kNoMail) return add(s.waiting, mail);
    const Time when = std::max({now, s.processor, s.receive});
    if (when == now) return receive(s, mail, now);
    add(s.waiting, mail);
    push_wake(s, when, now);
  }

  void add(std::uint32_t& list, const Mail& mail) {
    if (!mails_.append(list, mail)) gives_up_ = true;
  }

  void push_wake(State& s, Time time, Time now) {
    s.wake = in_calendar(time);
    s.wake_pushed = now;
    s.own_is_newer = false;
  }

  void wake(State& s) {
    const Time now = std::exchange(s.wake, kNever);
    Time when = std::max({now, s.processor, s.receive});
    while (when == now && s.waiting != kNoMail) {
      receive(s, mails_.take_at(s.waiting), now);
      when = std::max({now, s.processor, s.receive});
    }
    if (s.waiting != kNoMail) push_wake(s, when, now);
  }

  void receive(State& s, const Mail& mail, Time now) {
    const SizeCosts& costs = costs_of(mail.size);
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

  void match_unexpected(State& s, Time now) {
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
  int find_posted(const State& s, Rank source) const {
    const Step* const at = steps(s);
    for (int i = 0; i < s.size; ++i)
      if (at[i].peer == source && at[i].receives() && !(s.taken >> i & 1)) return i;
    return -1;
  }

  void deliver(State& s, std::uint32_t depth, Time now, Time done) {
    s.next_depth = std::max(s.next_depth, depth + 1);
    s.done = std::max(s.done, done);
    if (--s.left > 0) return;
    s.depth = s.next_depth;
    if (s.done == done)
      push(s, Own::begin, reduce_all(s, done), now);
    else
      push(s, Own::finish, std::max(now, s.done), now);
  }

  void deposit(Rank target, const Mail& mail) {
    if (!mails_.put(state(target).inbox, mail)) gives_up_ = true;
    Time& next = next_[index(target)];
    if (next == kNever) active_.insert(target);
    next = std::min(next, mail.arrival);
    earliest_ = std::min(earliest_, mail.arrival);
  }

  Mail take_first(State& s) {
    const Mail first = mails_.take(s.inbox);
    const Mail& next = s.inbox.slot;
    if (next.arrival == first.arrival && next.sent == first.sent && !can_swap(s, first, next))
      gives_up_ = true;
    return first;
  }

  // Whether the order of two messages that left and arrive together is known or does not matter.
  bool can_swap(const State& s, const Mail& a, const Mail& b) const {
    if ((a.sent == Time{} && !rounds_.has_classes()) || a.source == b.source) return true;
    return a.size == b.size && find_posted(s, a.source) >= 0 && find_posted(s, b.source) >= 0;
  }

  CompactRounds& rounds_;
  Bytes element_size_;
  const UniformCosts& costs_;
  Time latest_;
  MessageDelays delays_;
  LargeArray<State> ranks_;
  std::vector<Time> next_;  // the next event of each rank
  RankSet active_;          // ranks with events
  Mails mails_;
  std::vector<SizeCosts> by_size_;
  Time earliest_ = kNever;
  Bytes sent_bytes_ = 0;
  Count visits_ = 0, handled_ = 0;
  Rank ended_ = 0;
  bool gives_up_ = false;
  SimulationResult result_;
};

}  // namespace

std::optional<SimulationResult> window_sweep(CompactRounds& rounds, Bytes element_size,
                                             const UniformCosts& costs, Time latest) {
  return WindowSweep(rounds, element_size, costs, latest).run();
}

}  // namespace arlab::simulator
