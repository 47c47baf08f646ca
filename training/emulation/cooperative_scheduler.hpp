// CooperativeScheduler: runs the threads of all emulated ranks one at a time, in simulated time.
//
// Only the thread holding the run token executes, and only it accesses the scheduler. A blocked
// thread advances the simulation until another one is runnable, and hands over the token. Threads
// run in order of simulated time, then in the order in which they became due, so that a run does not
// depend on the machine. A thread in a computation has no token: others run meanwhile. When its
// simulated time comes, the token waits until the thread returns.
//
// A thread that holds a lock must not wait here, except in a Condition: the thread with the run
// token could wait for that lock forever.
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

#include "collectives/threads/canceled.hpp"
#include "collectives/threads/event_count.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/engine/interactive_simulation.hpp"

namespace arlab::training {

class CooperativeScheduler {
 public:
  /// Returns in words what an actor waits for.
  using Reason = std::function<std::string()>;

  struct Actor {
    Rank rank = 0;
    int thread = 0;                // index among the threads of its rank
    collectives::EventCount turn;  // notified when it gets the run token
    int turns = 0;                 // notifications seen
    bool waits = false, due = false, computing = false, ended = false;
    bool returned = false;          // from a computation; guarded by returning_
    std::uint32_t waits_begun = 0;  // identifies alarms of earlier waits
    Reason reason;
    Actor* joiner = nullptr;
  };

  CooperativeScheduler(simulator::Network& network, Rank ranks)
      : simulation_(network, ranks),
        threads_of_(static_cast<std::size_t>(ranks)),
        finish_of_(static_cast<std::size_t>(ranks)) {}

  // For threads without the run token.

  /// Adds an actor, whose thread must call run() and nothing else.
  Actor& add_actor(Rank rank);
  void run(Actor& actor, std::function<void()> body);
  /// Makes the actor due now; its thread exists.
  void begin(Actor& actor, std::thread::id id);
  /// Gives the run token to the first actor, after all ranks are added.
  void start() { hand_over(); }
  /// Returns from a computation, if the thread is in one.
  void end_compute();

  // For the thread with the run token.

  /// Returns the calling thread's actor. Throws Error(check) if it has none or is computing.
  Actor& self();
  Time now() const { return now_; }
  simulator::InteractiveSimulation& simulation() { return simulation_; }
  /// Waits for wake() or the given time. Does not throw.
  void wait(Actor& self, Reason reason, Time until = simulator::kNever);
  void wake(Actor& actor);
  /// Waits for the next event.
  void wait_for_anything(Actor& self);
  void begin_compute(Actor& self, Time duration);
  void join(std::thread& thread);

  /// Ends all other actors at their next wait. The first reason counts.
  void cancel(std::exception_ptr why);
  void throw_if_canceled() const {
    if (failure_) throw collectives::Canceled{};
  }
  std::exception_ptr failure() const { return failure_; }

  /// Called when a rank's round of a lane has ended.
  std::function<void(const simulator::InteractiveSimulation::Ended&)> round_ended;

  const std::vector<Time>& finish_of() const { return finish_of_; }
  Count turns() const { return turns_; }
  Count events() const { return events_; }

 private:
  struct Alarm {
    Time time{};
    Actor* actor = nullptr;
    std::uint32_t wait = 0;  // number of the wait
  };

  Actor* find(std::thread::id id);
  void finish(Actor& self);
  void hand_over();
  Actor* next();
  void run_simulation();
  bool advance();
  [[noreturn]] void deadlock() const;
  void wait_for_token(Actor& self) {
    self.turn.wait(self.turns);
    self.turns = self.turn.epoch();  // one more than before
  }

  simulator::InteractiveSimulation simulation_;
  Time now_{};
  std::deque<Actor> actors_;     // including those that have ended
  std::vector<int> threads_of_;  // by rank
  std::deque<Actor*> due_;
  std::vector<Actor*> pollers_;  // waiting for any event
  simulator::EventQueue<Alarm> alarms_;
  int alive_ = 0, idle_steps_ = 0;
  std::exception_ptr failure_;
  std::vector<Time> finish_of_;  // by rank
  Count turns_ = 0, events_ = 0;

  std::mutex known_mutex_;
  std::unordered_map<std::thread::id, Actor*> known_;
  std::mutex returning_;
  Actor* awaited_ = nullptr;  // gets the run token on its return
};

}  // namespace arlab::training
