// WindowSweep: processors that overlap with the network (loggops), eager messages.
//
// A window is shorter than the time from a send to its arrival, so all arrivals within it are known
// when it begins. In each window every rank handles its own events in order: the engine's begin,
// arrive, wake, and finish (simulator/engine/engine.hpp), of which at most one of its own, one
// wake, and arrivals are open at a time. The engine breaks ties of events by the time at which each
// was scheduled, and so on back to the begin (origins.hpp). With classes of ranks or random delays,
// and beyond the memory for origins, one level of that is known; ties that it leaves, and that
// matter, end the sweep. The idea of windows: Lubachevsky, Efficient distributed event-driven
// simulations of multiple-loop networks, CACM 32(1), 1989.
//
// window_sweep.cpp handles the events in order, window_rounds.inl starts and ends rounds,
// window_messages.inl delivers messages.
#pragma once

#include <array>
#include <optional>

#include "simulator/large_array.hpp"
#include "simulator/noise/message_delays.hpp"
#include "simulator/sweep/mails.hpp"
#include "simulator/sweep/message_costs.hpp"
#include "simulator/sweep/next_events.hpp"
#include "simulator/sweep/origins.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {

class WindowSweep {
 public:
  WindowSweep(CompactRounds& rounds, Bytes element_size, const UniformCosts& costs, Time latest);

  /// Returns what window_sweep() does.
  std::optional<SimulationResult> run();

 private:
  static constexpr Rank kNobody = -1;
  enum class Own : std::uint8_t { begin, finish };

  struct alignas(64) State {
    Time processor{}, send{}, receive{};  // when each is free
    Time own{};                           // its own event; kNever: none
    Origin own_pushed{};                  // if a send waits: since when
    Time done{};                          // end of the latest completed message
    Time wake = kNever;
    Origin wake_pushed{};
    Inbox inbox;  // begins a line of the cache
    std::uint32_t depth = 0, next_depth = 0;
    std::uint32_t taken = 0;             // receives of the round, a mask
    std::uint32_t waiting = kNoMail;     // arrived, but the rank is busy
    std::uint32_t unexpected = kNoMail;  // received before their receive was posted
    std::uint8_t left = 0;               // messages of the round that are not complete
    std::uint8_t first = 0, size = 0;    // of the round's steps, in the rank's window
    std::uint8_t next_send = 0;
    Own kind = Own::begin;
    bool own_is_newer = false;  // than the wake
    bool reduces = false;       // in the round
    bool sends = false;         // what waits for the rank; there is no event of its own
    Rank source = kNobody;      // of a round of one step, which receives
  };
  static_assert(sizeof(State) == 128);

  struct Letter {
    Mail mail;
    Rank target = 0;
    bool follows = false;  // perhaps another one of its pair that has not arrived
  };

  // What a rank has sent, where messages are late at random.
  struct Sends {
    std::uint32_t messages = 0;
    std::uint32_t targets = 0;  // a bit for each: others may share it
  };

  State& state(Rank rank) { return ranks_.data()[index(rank)]; }
  // Always inline, as all that it calls: g++ deletes calls of a function that only prefetches.
  [[gnu::always_inline]] void prefetch(Rank rank) {
    __builtin_prefetch(&state(rank), 1);
    __builtin_prefetch(&state(rank).inbox, 1);
    rounds_.prefetch(rank);
  }

  const MessageCosts::OfSize& costs_of(std::uint32_t size) {
    const MessageCosts::OfSize& costs = by_size_[size];
    if (!costs.is_eager) gives_up_ = true;  // a rendezvous reaches the sender at once
    return costs;
  }

  // In order of time.
  Time pass(Time end);
  Time handle(Rank rank, Time end);
  bool wake_is_first(const State& s) const;
  bool arrives_first(const State& s, Origin pushed);

  // Rounds.
  [[gnu::always_inline]] bool begin(State& s, Rank rank, Time now);
  void end_program(const State& s, Rank rank, Time now);
  void push(State& s, Own kind, Time time);
  [[gnu::always_inline]] void send_from(State& s, Rank rank, Time now, Time since);
  void send_waiting(State& s, Rank rank, Time now);
  [[gnu::always_inline]] bool send(State& s, Rank rank, const Step& step, Time now);
  void complete(State& s, Time now);
  bool finish(State& s, Time now);
  Time reduce_all(State& s, Time end);
  const Step* steps(const State& s) const;

  // Messages.
  void arrive(State& s, const Mail& mail);
  void add(std::uint32_t& list, const Mail& mail);
  static Time sends_at(const State& s, Time now) { return std::max({now, s.processor, s.send}); }
  static Time receives_at(const State& s, Time now) {
    return std::max({now, s.processor, s.receive});
  }
  Time sent(const Mail& mail) const { return mail.arrival - costs_.o - costs_.L; }
  void wake_at(State& s, Time when);
  void wake(State& s, Rank rank);
  void receive(State& s, const Mail& mail, Time now);
  void match_unexpected(State& s, Time now);
  int find_posted(const State& s, Rank source) const;
  void deliver(State& s, std::uint32_t depth, Time now, Time done);
  Letter& post(Rank target);
  void make_late(Letter& letter);
  void put(Letter& letter);
  void put_all();
  Mail take_first(State& s);
  void check_order(State& s, Mail& first);
  bool can_swap(const State& s, const Mail& a, const Mail& b) const;

  CompactRounds& rounds_;
  Bytes element_size_;
  const UniformCosts& costs_;
  Time latest_;
  DelayDraws delays_;
  MessageCosts by_size_;
  LargeArray<State> ranks_;
  LargeArray<Sends> sends_;  // if messages are late
  NextEvents next_;
  std::array<Letter, 16> posted_;  // the latest messages, in a ring
  std::size_t posts_ = 0;          // in this window
  Origins origins_;
  Origin origin_{};  // of what is scheduled now
  Mails mails_;
  Bytes sent_bytes_ = 0;
  Count handled_ = 0;
  Rank ended_ = 0;
  bool gives_up_ = false;
  SimulationResult result_;
};

}  // namespace arlab::simulator
