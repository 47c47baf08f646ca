// MpiTurn: whose turn it is to call MPI, which allows one thread at a time.
//
// A thread keeps its turn from call to call, and lets others have it while it waits for a message.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "collectives/rest.hpp"

namespace arlab::training {

class MpiTurn {
 public:
  void lock() {
    others_.fetch_add(1, std::memory_order_relaxed);
    mutex_.lock();
    others_.fetch_sub(1, std::memory_order_relaxed);
  }
  void unlock() { mutex_.unlock(); }

  /// Rests between two polls, without the turn. A thread that waits for the turn gets it.
  void rest(int polls) {
    const bool wanted = others_.load(std::memory_order_relaxed) > 0;
    unlock();
    if (wanted)
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    else
      collectives::rest_after(polls);
    lock();
  }

 private:
  std::mutex mutex_;
  std::atomic<int> others_{0};
};

}  // namespace arlab::training
