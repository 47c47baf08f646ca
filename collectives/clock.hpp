// Clock: time as a rank sees it, and how its threads wait in it.
//
// For most backends the machine's. Virtual ranks (training/virtual) have a time of their own, in
// which computing takes as long as it is said to, and nothing else takes any.
#pragma once

#include <functional>
#include <mutex>
#include <thread>

namespace arlab::collectives {

/// A condition variable of that clock. It may wake for nothing.
struct Condition {
  std::function<void(std::unique_lock<std::mutex>&)> wait;
  /// Waits until it is notified, or until the clock shows `seconds`.
  std::function<void(std::unique_lock<std::mutex>&, double seconds)> wait_until;
  std::function<void()> notify_all;
};

class Clock {
 public:
  virtual ~Clock() = default;

  /// Seconds since some beginning.
  virtual double now() = 0;

  /// What this thread does from here to arrive() takes so long, and concerns no other thread: in
  /// between it calls neither the clock nor a communicator, and waits for no lock that one who
  /// does may hold. On the machine's clock it takes what it takes.
  virtual void begin_compute(double /*seconds*/) {}
  virtual void end_compute() {}
  /// Returns so much later.
  void sleep(double seconds);

  /// A thread that lives in this clock's time, to be joined by join().
  virtual std::thread start(std::function<void()> body) = 0;
  virtual void join(std::thread& thread) = 0;
  virtual Condition condition() = 0;
};

/// The machine's clock.
Clock& machine_clock();

}  // namespace arlab::collectives
