// Clock: the time of a rank, and how its threads wait.
//
// Most backends use the machine's clock. Emulated ranks (training/emulation) have simulated time, in
// which a computation takes its declared duration and everything else takes no time.
#pragma once

#include <functional>
#include <mutex>
#include <thread>

namespace arlab::collectives {

/// A condition variable of a clock. It may wake spuriously.
struct Condition {
  std::function<void(std::unique_lock<std::mutex>&)> wait;
  /// Waits until it is notified, or until the clock shows `seconds`.
  std::function<void(std::unique_lock<std::mutex>&, double seconds)> wait_until;
  std::function<void()> notify_all;
};

class Clock {
 public:
  virtual ~Clock() = default;

  /// Returns the seconds since an arbitrary origin.
  virtual double now() = 0;

  /// Between begin_compute() and end_compute() this thread computes for the given time. It must not
  /// use the clock or a communicator, or wait for locks of threads that do. On the machine's clock
  /// both calls do nothing.
  virtual void begin_compute(double /*seconds*/) {}
  virtual void end_compute() {}
  /// Returns after the given time.
  void sleep(double seconds);

  /// Starts a thread in this clock's time, which join() must join.
  virtual std::thread start(std::function<void()> body) = 0;
  virtual void join(std::thread& thread) = 0;
  virtual Condition condition() = 0;
};

/// Returns the machine's clock.
Clock& machine_clock();

}  // namespace arlab::collectives
