// Dispatcher: a scheduler on a real clock: a thread that exchanges gradients while the caller
// computes.
//
// The caller says when gradients are ready and waits for those that it needs; the thread asks the
// scheduler what to send and has it sent, one bundle at a time. Where ranks could come to different
// orders (SchedulerKind::same_everywhere is false), one of them leads: the others learn its choices
// from `agree`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "training/schedulers/scheduler.hpp"

namespace arlab {

class Dispatcher {
 public:
  /// Carries a bundle out, on the dispatcher's thread; returns when it is done. What it throws is
  /// thrown to the caller of wait().
  using Exchange = std::function<void(const Bundle&)>;
  /// With the leader: tells the others what it chose, and at its end an empty bundle. With the
  /// others: returns what the leader told. Called on the dispatcher's thread.
  using Tell = std::function<void(const Bundle&)>;
  using Hear = std::function<Bundle()>;

  struct Role {
    Tell tell;  ///< of the leader
    Hear hear;  ///< of the others; neither: every rank decides by itself
  };

  Dispatcher(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
             const Values& values, Exchange exchange, Role role = {});
  /// Waits for what is under way; what has not begun is not sent. Those who follow wait for the
  /// leader's end.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// The layer's gradient is complete and must not be touched before wait() returns.
  void ready(int layer);
  /// Blocks until the layer's gradient is exchanged, or was never made ready.
  void wait(int layer);
  void wait_all();

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  std::optional<Bundle> next(std::unique_lock<std::mutex>& lock);
  std::optional<Bundle> choose(std::unique_lock<std::mutex>& lock);
  bool is_ready(const Bundle& bundle) const;
  void settle(const Bundle& bundle);
  void rethrow();
  Time now() const;

  Profile profile_;
  Exchange exchange_;
  Role role_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Count> missing_;  // elements of each layer's gradient that are not exchanged yet
  std::exception_ptr error_;
  bool stopping_ = false;

  Clock::time_point start_ = Clock::now();
  std::thread thread_;
};

}  // namespace arlab
