// HostQueue: one thread does work in order. The stream of a fake GPU is such a queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace arlab::collectives {

/// A point that a queue has reached, or not yet.
class HostMark {
 public:
  using Clock = std::chrono::steady_clock;

  void reach() {
    const std::lock_guard lock(mutex_);
    when_ = Clock::now();
    reached_ = true;
    changed_.notify_all();
  }
  Clock::time_point wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
    return when_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point when_;
};

class HostQueue {
 public:
  using Work = std::function<void()>;

  HostQueue() : worker_([this] { run(); }) {}
  ~HostQueue() {
    push({});  // the end
    worker_.join();
  }
  HostQueue(const HostQueue&) = delete;
  HostQueue& operator=(const HostQueue&) = delete;

  void push(Work work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_all();
  }

  /// Whether all work is done. Throws what work has thrown since it was asked last.
  bool is_idle() {
    const std::lock_guard lock(mutex_);
    return rethrow(work_.empty());
  }

  /// Waits until all work is done.
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty(); });
    rethrow(true);
  }

 private:
  bool rethrow(bool result) {
    if (!failure_) return result;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  // Work stays at the front of the queue until it is done.
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !work_.empty(); });
      Work work = std::move(work_.front());
      lock.unlock();
      std::exception_ptr failure;
      try {
        if (work) work();
      } catch (...) {
        failure = std::current_exception();
      }
      const bool over = !work;
      work = {};
      lock.lock();
      work_.pop_front();
      if (failure && !failure_) failure_ = failure;
      changed_.notify_all();
      if (over) return;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> work_;
  std::exception_ptr failure_;
  std::thread worker_;
};

}  // namespace arlab::collectives
