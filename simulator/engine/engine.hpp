// Engine: the discrete-event simulation behind simulate() and InteractiveSimulation.
//
// The source provides the rounds: Actors run programs, ClassActors those of one rank per class;
// ExternalRounds receive their rounds from the caller. engine.cpp processes the events in order,
// engine_rounds.inl starts and finishes rounds, engine_sends.inl and engine_receives.inl implement
// the two ends of a message, engine_teams.inl transfers through switches.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "algorithms/teams.hpp"
#include "simulator/engine/class_actors.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/engine/external_rounds.hpp"
#include "simulator/engine/list_pool.hpp"
#include "simulator/engine/repeated_rounds.hpp"
#include "simulator/engine/round_source.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/engine/tracer.hpp"

namespace arlab::simulator {

template <class Source>
class Engine {
 public:
  using Index = std::uint32_t;

  Engine(Source source, Rank ranks, Bytes element_size, Network& network,
         const SimulateOptions& options);

  /// Runs all events.
  SimulationResult run();
  /// Handles the next event unless it is after `latest`. Returns false if there is none.
  bool step(Time latest);
  /// Returns the time of the latest event.
  Time now() const { return now_; }
  /// Starts the new round of the actor, whose begin was scheduled at `since`. Returns false if it
  /// has no messages.
  bool post(Index id, Time now, Time since);

  Source& actors() { return actors_; }

 private:
  enum class Kind : std::uint8_t {
    begin,   // the actor starts its next round
    send,    // the actor's next send may leave, or waits for its rank
    arrive,  // a message reaches the actor
    wake,    // the rank may send or receive what waits for it
    finish,  // the actor's messages are complete: reduce, then begin
  };

  struct Event {
    Time time{};
    Bytes bytes = 0;  // begin, finish, wake: when it was scheduled
    Index actor = 0;  // wake: the rank
    Rank source = 0;
    Index depth = 0;  // of the sender's round; wake: its number
    Kind kind = Kind::begin;
    bool rendezvous = false;
    bool posted = false;  // its receive was matched before it left
    bool late = false;    // its arrival time was unknown when it was sent
  };

  // A member's action of a transfer: its actor and the position in its round.
  struct TeamPlace {
    Index actor = 0, position = 0;
  };
  using TeamPart = TeamActions<TeamPlace>::Part;
  struct Transfer {
    std::vector<TeamPart> parts;
    Index last = 0;  // the actor that was ready last
    Time begin{};
  };
  static constexpr Rank kTeam = -1;  // source of an event that ends a transfer; depth: its slot

  // Events.
  void handle_next();
  void advance();
  std::span<const Index> in_order_of_lanes(std::span<const Index> arrived);
  void skip_repeated_rounds(Time latest);
  void count_skipped(Count rounds);
  void complete_send(const Event& e);
  void prefetch() const;
  void handle(const Event& e);

  // Rounds.
  bool next_round(Index id);
  Round round_of(Index id) const;
  [[gnu::always_inline]] void schedule(Kind kind, Index actor, Time time, Time now,
                                       Index number = 0) {
    queue_.push(
        {.time = time, .bytes = now.count(), .actor = actor, .depth = number, .kind = kind});
  }
  void begin(Index id, Time now, Time since);
  bool complete_message(Actor& a, Time done) {
    a.done = std::max(a.done, done);
    return --a.left == 0;
  }
  void complete_round(Index id, Time now);
  void complete_round_and_reduce(Index id, Time now);
  void finish(Index id, Time now, Time since);
  Time reduce_all(Index id, Time now);

  // A rank sends and receives one message at a time. Of what waits for it and can go, that goes
  // first which was scheduled first: a message when it was sent, a send when the begin of its round
  // was.
  struct Waiting {
    List sends, messages;
    Time wake = kNever;  // the next one, which is in the queue
    Index wakes = 0;     // its number
  };
  Waiting& waiting(Rank rank) { return waiting_[static_cast<std::size_t>(rank)]; }
  bool can_send(Rank rank, Time now) {
    return !waiting(rank).sends.empty() && network_.can_send(rank, now) == now;
  }
  bool can_receive(Rank rank, Time now) {
    return !waiting(rank).messages.empty() && network_.can_receive(rank, now) == now;
  }
  void wake(const Event& e);
  // Wakes the rank when it can send or receive what waits, if it does not wake before.
  void wake_at(Rank rank, Time when, Time now);
  [[gnu::always_inline]] void push_wake(Rank rank, Time when, Time now);

  // Sends.
  Bytes bytes_sent(Index id, const Action& action) const {
    return action.sends() ? actors_.bytes_of(id, action) : 0;
  }
  void send_from(Index id, Time now, Time since);
  [[gnu::always_inline]] bool is_next(Rank rank, Time now, Time since);
  void send_later(Index id, Bytes bytes, Time since);
  [[gnu::always_inline]] void send_waiting(Waiting& w, Time now);
  bool inject(Index id, const Action& action, Bytes bytes, Time now);
  void match_posted(Index id, Time now);
  void ready(Index sender, Index position, Index received, Time now);
  void send_ready(Index id, Time now);
  void send_first();
  void report_progress();

  // Transfers of teams.
  void post_teams(Index id, Time now);
  void start_transfer(Index last, std::vector<TeamPart> parts, Time now);
  void end_transfer(Index slot, Time now);

  // Receives.
  void arrive(const Event& e);
  void receive(const Event& e, Time now);
  void match_unexpected(Index id, Time now);
  void deliver(const Event& e, Time now, Time done);

  Network& network_;
  bool synchronous_, changes_, receives_, knows_sent_;
  bool exclusive_;  // a message holds its ports
  bool sorts_lanes_ = false;
  Time flight_;
  const SimulateOptions& options_;
  Bytes element_size_;
  Source actors_;
  EventQueue<Event> queue_;
  ListPool<Event> messages_;
  std::vector<Waiting> waiting_;  // of each rank
  // By actor and source: messages received before their receive was posted.
  std::unordered_map<std::uint64_t, List> unexpected_;
  std::vector<TeamActions<TeamPlace>> teams_;  // of each lane, once one has a transfer
  std::vector<Transfer> transfers_;            // on their way, by slot
  std::vector<Index> free_slots_;
  std::vector<Index> by_lane_;  // messages that arrive together
  // On a synchronous network: what may leave. Where a message holds its ports, of each rank, which
  // sends the first once all that happens at that time has happened; else of each actor.
  struct ReadySend {
    std::uint64_t order = 0;
    Index position = 0, actor = 0;
    Index received = 0;   // position of its receive in the round at the other end
    Time::rep since = 0;  // when it became ready; libc++ 16 orders no durations by <=>
    auto operator<=>(const ReadySend&) const = default;
  };
  std::vector<std::vector<ReadySend>> ready_;  // heaps
  std::vector<ReadySend>& ready_of(Index id) {
    return ready_[exclusive_ ? index(actors_.rank_of(id)) : id];
  }
  struct Request {  // of a receiver's port
    Time::rep since = 0;
    std::uint64_t order = 0;
    Index received = 0, sender = 0;
    auto operator<=>(const Request&) const = default;
  };
  std::vector<Index> senders_;  // actors whose ranks may send the first of what is ready
  std::vector<Request> requests_;
  std::optional<Tracer> tracer_;
  std::optional<RepeatedRounds> repeats_;
  SimulationResult outcome_;
  Time now_{};
  Time skipped_{};  // by which all times are later than the engine's, after repeated rounds
};

extern template class Engine<Actors>;
extern template class Engine<ClassActors>;
extern template class Engine<ExternalRounds>;

}  // namespace arlab::simulator
