// Dispatcher: one thing after the other, on a thread of its own while the caller computes: jobs, in
// the order in which they were started, and gradients, in the order that a scheduler chooses.
//
// The caller says when gradients are ready and waits for those that it needs. Where all ranks come
// to the same order (SchedulerKind::same_everywhere), what the scheduler gives goes into the queue
// of jobs at once. Otherwise it is asked when nothing is under way, and one rank leads: the others
// learn from it what comes next, jobs as well. They listen only while they have something to do, so
// that nobody waits for a leader that has come to its end.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "collectives/clock.hpp"
#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

class Dispatcher {
 public:
  using Ticket = std::uint64_t;
  using Job = std::function<void()>;
  using Carry = std::function<void(const Bundle&)>;

  /// Of the leader: tells the others what it does next: a bundle, or (null) its next job. Of the
  /// others: returns that. Neither: every rank decides by itself. Called where jobs run.
  struct Role {
    std::function<void(const Bundle*)> tell;
    std::function<std::optional<Bundle>()> hear;
  };

  /// own_thread: things are done on a thread of their own, else by whoever waits. The clock
  /// outlives it.
  Dispatcher(collectives::Clock& clock, bool own_thread);
  ~Dispatcher() { stop(); }
  /// Waits for what is under way; what has not begun is never done. For whoever takes away what
  /// jobs and carries work on.
  void stop();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Throws what an earlier job or carry has thrown.
  Ticket start(Job job);
  /// Returns when that job and all before it are done, or throws what they threw.
  void wait(Ticket ticket);

  /// From now on, gradients travel by this scheduler: `carry` carries a bundle out and returns when
  /// it is done. Nothing may be under way. Throws Error(usage) as make_scheduler() does.
  void schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                const Values& values, Carry carry, Role role = {});
  /// The layer's gradient is complete, and is not touched before wait_for() returns.
  void ready(int layer);
  /// Returns when the layer's gradient is exchanged, or was never made ready.
  void wait_for(int layer);
  void wait_for_all();

  bool has_thread() const { return has_thread_; }
  /// Whether nothing is under way, and nothing to be done.
  bool is_idle() const;

 private:
  struct Task {
    Job job;        // null: the bundle
    Bundle bundle;  // empty: the job
  };
  using Lock = std::unique_lock<std::mutex>;

  void serve();
  template <class Done>
  void wait_until(Done done);
  bool act(Lock& lock);
  std::optional<Task> choose(Lock& lock);
  std::optional<Task> listen(Lock& lock);
  std::optional<Task> front();
  std::optional<Bundle> next_bundle();
  void carry_out(const Task& task, Lock& lock);
  void settle(const Bundle& bundle);
  void pause(Lock& lock);
  bool is_ready(const Bundle& bundle) const;
  bool is_exchanged(int layer) const { return missing_[static_cast<std::size_t>(layer)] == 0; }
  Time now() const;

  collectives::Clock& clock_;
  const double begin_;  // of the scheduler's time
  const bool has_thread_;
  std::unique_ptr<collectives::Condition> changed_;
  mutable std::mutex mutex_;
  // Guarded by the mutex:
  std::deque<Task> queue_;  // the first may be under way
  Ticket queued_ = 0, done_ = 0;
  std::unique_ptr<Scheduler> scheduler_;
  bool at_once_ = true;
  Profile profile_;
  Carry carry_;
  Role role_;
  std::vector<Count> missing_;  // elements of each layer's gradient that are not exchanged yet
  std::size_t open_ = 0;        // layers of which something is missing
  std::exception_ptr error_;
  bool stopping_ = false, under_way_ = false;

  std::thread thread_;
};

}  // namespace arlab::training
