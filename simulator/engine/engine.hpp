// Engine: one simulation while it runs; simulate() of engine.hpp is what others call, and
// InteractiveSimulation of open_simulation.hpp, where rounds come from outside.
//
// A crew is who acts in it: Actors have programs to run, ExternalRounds are told their rounds.
//
// Its members are defined by idea: engine.cpp takes the events in order, engine_rounds.cpp begins
// and ends rounds, engine_sends.cpp and engine_receives.cpp have the two ends of a message.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "simulator/engine/event_queue.hpp"
#include "simulator/engine/external_rounds.hpp"
#include "simulator/engine/list_pool.hpp"
#include "simulator/engine/round_source.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/engine/tracer.hpp"

namespace arlab::simulator {

template <class Source>
class Engine {
 public:
  using Index = std::uint32_t;

  Engine(Source crew, Rank ranks, Bytes element_size, Network& network,
         const SimulateOptions& options);

  /// From the first event to the last.
  SimulationResult run();
  /// The next thing that happens, if that is not after `latest`; false if there is none.
  bool step(Time latest);
  /// When that was.
  Time now() const { return now_; }
  /// The actor has a new round; whether that has any messages.
  bool post(Index id, Time now);

  Source& actors() { return actors_; }

 private:
  enum class Kind : std::uint8_t {
    begin,   // the actor starts its next round
    send,    // the actor's next send may leave
    arrive,  // a message reaches the actor
    wake,    // the rank may receive the first of its parked messages
    finish,  // the actor's messages are through: reduce, then begin
  };

  struct Event {
    Time time{};
    Bytes bytes = 0;
    Index actor = 0;  // wake: the rank
    Rank source = 0;
    Index depth = 0;  // of the sender's round
    Kind kind = Kind::begin;
    bool rendezvous = false;
    bool posted = false;  // its receive was found before it left
    bool later = false;   // the network told late when it arrives
  };

  // Events.
  void handle_next();
  void advance();
  void prefetch() const;
  void handle(const Event& e);

  // Rounds.
  void begin(Index id, Time now);
  bool through_with_one(Actor& a, Time done) {
    a.done = std::max(a.done, done);
    return --a.left == 0;
  }
  void through(Index id, Time now);
  void through_at_once(Index id);
  void finish(Index id, Time now);
  Time reduce_all(Index id, Time now);

  // Sends.
  void send_from(Index id, Time now);
  bool leaves(Index id, const Action& action, Bytes bytes, Time now);
  void meet_peers(Index id, Time now);
  void ready(Index sender, Index position, Time now);
  void send_ready(Index id, Time now);
  void report_progress();

  // Receives.
  void arrive(const Event& e);
  void wake(Rank rank, Time now);
  void receive(Event e, Time now);
  void meet_early(Index id, Time now);
  void met(const Event& e, Time now, Time done);

  Network& network_;
  bool synchronous_, changes_;
  const SimulateOptions& options_;
  Bytes element_size_;
  Source actors_;
  EventQueue<Event> queue_;
  ListPool<Event> messages_;
  std::vector<Chain> parked_;                       // of each rank: arrived, but the rank is busy
  std::unordered_map<std::uint64_t, Chain> early_;  // by actor and source: received, not posted
  std::vector<std::vector<Index>> ready_;           // of each actor, if synchronous: a heap
  std::optional<Tracer> tracer_;
  SimulationResult outcome_;
  Time now_{};
};

extern template class Engine<Actors>;
extern template class Engine<ExternalRounds>;

}  // namespace arlab::simulator
