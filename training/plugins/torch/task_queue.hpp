// TaskQueue: the thread that runs the collectives of one process group, in the order in which they
// were called.
//
// What a task's `done` posts runs before the tasks that wait. A caller may run a task itself if
// nothing else runs or waits. Once a rank is missing, the queue has
// failed: every later task fails with the same message.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "training/plugins/torch/turn.hpp"

namespace arlab::training {

class TaskQueue {
 public:
  using Task = std::function<void()>;
  using Done = std::function<void(std::exception_ptr)>;

  explicit TaskQueue(MpiTurn& turn);
  ~TaskQueue() { end(); }
  /// Runs what was posted, and ends the thread. What is posted later fails.
  void end();
  /// The same if nothing runs or waits. Returns whether it has ended.
  bool end_if_idle();

  enum class Needs : unsigned char { turn, nothing };

  /// Runs the task in the queue's thread, which may call MPI then if the task needs the turn, and
  /// then `done` with its error or null.
  void post(Task task, Done done, Needs needs = Needs::turn);

  /// Begins to run a task in the calling thread. Returns false if others run or wait.
  bool begin_here();
  /// Runs a task that does not need the turn, after begin_here().
  void run_here(Task task, Done done);
  /// Leaves it to the queue's thread instead, before all others.
  void hand_over(Task task, Done done);

  /// Runs the task after all before it, and waits for it.
  void run(const Task& task);

  /// Whether a rank was missing. Tasks that failed so are kept, as MPI may still use their memory.
  bool failed() const { return failed_; }

 private:
  struct Posted {
    Task task;
    Done done;
    Needs needs = Needs::turn;
  };
  void run_all();
  void end_here();
  void run_one(const Posted& posted);

  MpiTurn& turn_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Posted> queue_;
  std::exception_ptr failure_;
  std::vector<Task> kept_;
  bool ends_ = false;
  std::atomic<std::thread::id> runner_{};  // in which a task runs: the queue's, or a caller
  std::atomic<bool> failed_{false};
  std::thread thread_;
};

}  // namespace arlab::training
