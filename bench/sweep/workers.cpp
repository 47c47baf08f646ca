#include "bench/sweep/workers.hpp"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace arlab::bench {
namespace {

class Workers {
 public:
  Workers(std::span<const std::size_t> units,
          const std::function<void(std::size_t item, int thread)>& work)
      : units_(units),
        work_(work),
        results_(std::accumulate(units.begin(), units.end(), std::size_t{0})) {}

  ~Workers() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }

  // Starts the threads, or fewer where the system refuses. Returns their number.
  std::size_t start(int threads) {
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { run(i); });
    } catch (const std::system_error&) {
    }
    return threads_.size();
  }

  // Works on all units in this thread.
  void run(int thread) {
    for (;;) {
      std::size_t item = 0, size = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_unit_ == units_.size()) return;
        size = units_[next_unit_++];
        item = next_item_;
        next_item_ += size;
      }
      for (; size > 0; --size, ++item)
        if (!work_on(item, thread)) return stop();
    }
  }

  // Waits for the item. Rethrows its exception.
  void wait_for(std::size_t item) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return results_[item].has_ended; });
    if (results_[item].thrown) std::rethrow_exception(results_[item].thrown);
  }

  std::size_t items() const { return results_.size(); }

 private:
  struct Result {
    bool has_ended = false;
    std::exception_ptr thrown;
  };

  bool work_on(std::size_t item, int thread) {
    Result result{true, nullptr};
    try {
      work_(item, thread);
    } catch (...) {
      result.thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    results_[item] = result;
    ended_.notify_all();
    return !result.thrown;
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    next_unit_ = units_.size();
  }

  std::span<const std::size_t> units_;
  const std::function<void(std::size_t item, int thread)>& work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t next_unit_ = 0, next_item_ = 0;
  std::vector<Result> results_;
  std::vector<std::thread> threads_;
};

}  // namespace

int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void work_in_order(std::span<const std::size_t> units, int threads,
                   const std::function<void(std::size_t item, int thread)>& work,
                   const std::function<void(std::size_t item)>& done) {
  Workers workers(units, work);
  const bool has_threads =
      threads > 1 && units.size() > 1 &&
      workers.start(static_cast<int>(std::min(static_cast<std::size_t>(threads), units.size()))) >
          0;
  for (std::size_t item = 0; item < workers.items(); ++item) {
    if (has_threads)
      workers.wait_for(item);
    else
      work(item, 0);
    done(item);
  }
}

}  // namespace arlab::bench
