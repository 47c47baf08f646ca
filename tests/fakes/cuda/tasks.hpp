// Tasks: all work that was enqueued, with what it must follow.
//
// All functions but wait_until() are called with the machine's mutex held.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace arlab::fake_cuda {

class Task;
using TaskPtr = std::shared_ptr<Task>;
using Tasks = std::vector<TaskPtr>;

/// What a task does. Returns whether it is done; one that is not ends by finish() later.
using Work = std::function<bool(const TaskPtr&)>;

class Task {
 public:
  bool done = false;
  int device = 0;
  /// Of a message in progress: the threads without whose calls it cannot end.
  std::function<std::vector<std::thread::id>()> awaited;

 private:
  friend TaskPtr add_task(int device, const Tasks& after, Work work);
  friend void finish(Task& task);
  friend bool run_any(bool host_waits);
  Work work_;
  Tasks next_;
  int missing_ = 0;
};

TaskPtr add_task(int device, const Tasks& after, Work work);
void finish(Task& task);

/// Runs one task that may run, drawn at random, or resident grids; false if there is none.
/// `host_waits`: the host enqueues nothing more, so that time passes for grids that wait.
bool run_any(bool host_waits = false);
/// As devices do while the host does something else: runs some tasks, or none.
void run_some();
/// Whether all work of these devices is done.
bool is_idle(int device);
bool all_done(Tasks& tasks);  ///< forgets those that are

/// Runs tasks until the condition holds. Returns false if it never will: then the machine is
/// broken. `doing`: for the report.
bool wait_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& condition,
                const std::string& doing);
/// Something that waits may depend on has changed.
void changed();
/// Whether grids that wait are not about to be served: no process has called for long enough.
bool is_still();
/// The calling thread becomes a process, or is one no longer.
void add_process();
void remove_process();
void forget_tasks();

}  // namespace arlab::fake_cuda
