#include "training/plugins/torch/task_queue.hpp"

#include <chrono>
#include <future>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/patience.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {
namespace {

std::exception_ptr ended() {
  return std::make_exception_ptr(
      Error(Blame::usage,
            "the group has ended: call collectives before the program's end, and before "
            "destroy_process_group()"));
}

}  // namespace

TaskQueue::TaskQueue(MpiTurn& turn)
    : turn_(turn), thread_(collectives::start_thread([this] { run_all(); })) {}

void TaskQueue::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  posted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// The task that a caller has just waited for may not quite have ended.
bool TaskQueue::end_if_idle() {
  for (int looks = 0; looks < 100; ++looks) {
    bool is_idle = false;
    {
      const std::lock_guard lock(mutex_);
      if (runner_.load() == std::this_thread::get_id()) return false;
      is_idle = runner_.load() == std::thread::id() && queue_.empty();
      ends_ = ends_ || is_idle;
    }
    if (is_idle) return end(), true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// A future's continuation runs in the thread of its task, and may wait for a collective that it
// calls, as PyTorch's PowerSGD hook does: that one runs at once. All ranks call it there, before
// what is queued.
void TaskQueue::post(Task task, Done done, Needs needs) {
  if (std::this_thread::get_id() == runner_)
    return run_one({std::move(task), std::move(done), needs});
  bool takes = false;
  {
    const std::lock_guard lock(mutex_);
    takes = !ends_;
    if (takes) queue_.push_back({std::move(task), std::move(done), needs});
  }
  takes ? posted_.notify_all() : done(ended());
}

bool TaskQueue::begin_here() {
  const std::lock_guard lock(mutex_);
  if (runner_.load() != std::thread::id() || !queue_.empty() || ends_) return false;
  runner_ = std::this_thread::get_id();
  return true;
}

void TaskQueue::end_here() {
  {
    const std::lock_guard lock(mutex_);
    runner_ = std::thread::id();
  }
  posted_.notify_all();
}

void TaskQueue::run_here(Task task, Done done) {
  run_one({std::move(task), std::move(done), Needs::nothing});
  end_here();
}

void TaskQueue::hand_over(Task task, Done done) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_front({std::move(task), std::move(done), Needs::nothing});
  }
  end_here();
}

void TaskQueue::run(const Task& task) {
  std::promise<void> ended;
  post(task, [&](std::exception_ptr error) {
    if (error)
      ended.set_exception(error);
    else
      ended.set_value();
  });
  ended.get_future().get();
}

void TaskQueue::run_all() {
  for (;;) {
    Posted next;
    {
      std::unique_lock lock(mutex_);
      if (runner_.load() == std::this_thread::get_id()) runner_ = std::thread::id();
      posted_.wait(
          lock, [&] { return runner_.load() == std::thread::id() && (ends_ || !queue_.empty()); });
      if (queue_.empty()) return;
      runner_ = std::this_thread::get_id();
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    run_one(next);
  }
}

void TaskQueue::run_one(const Posted& posted) {
  std::exception_ptr error = failure_;
  if (!error) {
    std::unique_lock turn(turn_, std::defer_lock);
    if (posted.needs == Needs::turn) turn.lock();
    try {
      posted.task();
    } catch (const collectives::Stalled&) {
      error = failure_ = std::current_exception();
      kept_.push_back(posted.task);
      failed_ = true;
    } catch (...) {
      error = std::current_exception();
    }
  }
  posted.done(error);
}

}  // namespace arlab::training
