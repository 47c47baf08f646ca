// Kernel: virtual time, and whose turn it is in it.
//
// The threads of all ranks are its actors, and one of them runs at a time: it has the baton, and
// all that is here is its own. An actor that must wait takes the world on, event by event, until
// some actor may run, and hands it the baton: in order of virtual time, and at one time in the
// order in which they became due, so a run does not depend on the machine. An actor that is away
// computes for so long in virtual time, and without the baton: others run meanwhile. When its time
// comes and it is not back yet, the baton lies there until it is.
//
// Between a lock() and its unlock() nobody may wait here, except in a Condition: whoever has the
// baton would wait for that lock for ever.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "collectives/threads/event_count.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/engine/interactive_simulation.hpp"

namespace arlab::training {

/// Ends a rank because another one has failed.
struct CalledOff {};

class CooperativeScheduler {
 public:
  /// In words, what an actor waits for.
  using Reason = std::function<std::string()>;

  struct Actor {
    Rank rank = 0;
    int thread = 0;                // of its rank's
    collectives::EventCount turn;  // rings when it has the baton
    int turns = 0;                 // rings heard
    bool waits = false, due = false, away = false, ended = false;
    bool back = false;              // from being away; under arriving_
    std::uint32_t waits_begun = 0;  // tells an alarm of an earlier wait
    Reason reason;
    Actor* joiner = nullptr;
  };

  CooperativeScheduler(simulator::Network& network, Rank ranks)
      : simulation_(network, ranks),
        threads_of_(static_cast<std::size_t>(ranks)),
        finish_of_(static_cast<std::size_t>(ranks)) {}

  // For whoever has no baton.

  /// A new actor, whose thread is to call run() and nothing else.
  Actor& enlist(Rank rank);
  void run(Actor& actor, std::function<void()> body);
  /// Its thread is there: it is due now.
  void begin(Actor& actor, std::thread::id id);
  /// Gives the first actor the baton, when all ranks are enlisted.
  void go() { pass_on(); }
  /// Back from being away, if it was.
  void arrive();

  // For the actor that has it.

  /// The calling thread's actor. Throws Error(check) if it is none, or away.
  Actor& self();
  Time now() const { return now_; }
  simulator::InteractiveSimulation& simulation() { return simulation_; }
  /// Waits for wake(), or until then. Does not throw.
  void wait(Actor& self, Reason reason, Time until = simulator::kNever);
  void wake(Actor& actor);
  /// Waits for the next thing that happens, whatever it is.
  void wait_for_anything(Actor& self);
  void leave(Actor& self, Time duration);
  void join(std::thread& thread);

  /// All others end at their next wait. The first reason counts.
  void call_off(std::exception_ptr why);
  void leave_if_called_off() const {
    if (failure_) throw CalledOff{};
  }
  std::exception_ptr failure() const { return failure_; }

  /// Told when a rank's round of a lane has ended.
  std::function<void(const simulator::InteractiveSimulation::Ended&)> round_ended;

  const std::vector<Time>& finish_of() const { return finish_of_; }
  Count turns() const { return turns_; }
  Count events() const { return events_; }

 private:
  struct Alarm {
    Time time{};
    Actor* actor = nullptr;
    std::uint32_t wait = 0;  // which of its waits
  };

  Actor* find(std::thread::id id);
  void finish(Actor& self);
  void pass_on();
  Actor* next();
  void go_on();
  bool advance();
  [[noreturn]] void deadlock() const;
  void take_turn(Actor& self) {
    self.turn.wait(self.turns);
    self.turns = self.turn.heard();  // one more
  }

  simulator::InteractiveSimulation simulation_;
  Time now_{};
  std::deque<Actor> actors_;  // all there ever were
  std::vector<int> threads_of_;          // of each rank: how many
  std::deque<Actor*> due_;
  std::vector<Actor*> onlookers_;  // that wait for anything
  simulator::EventQueue<Alarm> alarms_;
  int alive_ = 0, vain_ = 0;
  std::exception_ptr failure_;
  std::vector<Time> finish_of_;  // of each rank
  Count turns_ = 0, events_ = 0;

  std::mutex knowing_;
  std::unordered_map<std::thread::id, Actor*> known_;
  std::mutex arriving_;
  Actor* awaited_ = nullptr;  // whose the baton is when it is back
};

}  // namespace arlab::training
