// Dispatcher: runs tasks one at a time, on a separate thread while the caller computes: jobs in the
// order of their start, and gradients in the order that a scheduler chooses.
//
// The caller announces ready gradients and waits for those that it needs. If all ranks compute the
// same order (SchedulerKind::same_everywhere), the scheduler's bundles enter the queue of jobs at
// once. Otherwise the dispatcher asks the scheduler when idle, and one rank leads: it broadcasts the
// next task, jobs included. The other ranks listen only while they have work, so that none waits for
// a leader that has finished.
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
  using Transmit = std::function<void(const Bundle&)>;

  /// The leader broadcasts its next task: a bundle, or null for its next job. The other ranks receive
  /// it. If both are empty, every rank decides by itself. Called on the thread that runs tasks.
  struct Role {
    std::function<void(const Bundle*)> broadcast_next;
    std::function<std::optional<Bundle>()> receive_next;
  };

  /// own_thread: runs tasks on a separate thread, else on the waiting one. The clock must outlive it.
  Dispatcher(collectives::Clock& clock, bool own_thread);
  ~Dispatcher() { stop(); }
  /// Waits for the task in progress and drops all others. Call it before destroying what jobs and
  /// transmit() work on.
  void stop();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Throws the error of an earlier task.
  Ticket start(Job job);
  /// Returns when that job and all earlier ones are done. Throws their error.
  void wait(Ticket ticket);

  /// Sends gradients by this scheduler from now on. `transmit` exchanges a bundle and returns when it
  /// is done. No task may be in progress. Throws Error(usage) like make_scheduler().
  void schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                const Values& values, Transmit transmit, Role role = {});
  /// Announces a layer's complete gradient. The caller leaves it alone until wait_for() returns.
  void ready(int layer);
  /// Returns when the layer's gradient is exchanged, or at once if it was never ready.
  void wait_for(int layer);
  void wait_for_all();

  bool has_thread() const { return has_thread_; }
  /// Returns whether there is nothing to do or in progress.
  bool is_idle() const;

 private:
  struct Task {
    Job job;        // null: runs the bundle
    Bundle bundle;  // used if there is no job
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
  const double begin_;  // where the scheduler's time begins
  const bool has_thread_;
  collectives::Condition changed_;
  mutable std::mutex mutex_;
  // Guarded by the mutex:
  std::deque<Task> queue_;  // the first may be in progress
  Ticket queued_ = 0, done_ = 0;
  std::unique_ptr<Scheduler> scheduler_;
  bool at_once_ = true;
  Profile profile_;
  Transmit transmit_;
  Role role_;
  std::vector<Count> missing_;  // elements of each layer's gradient that are not exchanged yet
  std::size_t open_ = 0;        // layers with missing elements
  std::exception_ptr error_;
  bool stopping_ = false, under_way_ = false;

  std::thread thread_;
};

}  // namespace arlab::training
