// EventCount: lets a thread sleep until another thread has changed something.
//
// A thread that makes a change advances the epoch. A waiting thread reads the epoch before it looks
// for changes, and sleeps only while the epoch is the same, so that it misses none.
#pragma once

#include <atomic>
#include <thread>

#include "collectives/relax.hpp"

namespace arlab::collectives {

class alignas(64) EventCount {
 public:
  int epoch() const { return epoch_.load(std::memory_order_acquire); }

  void notify() {
    epoch_.fetch_add(1);
    epoch_.notify_all();
  }

  /// Returns whether the epoch passes `epoch_seen` within that many spins. Yields the core now and
  /// then, because the thread that makes the change may be waiting for it; but not at first where
  /// many spins are allowed, because another program would take the core.
  bool changes_soon(int epoch_seen, int spins) const {
    constexpr int kYielding = 1500;
    for (; spins > 0; --spins) {
      if (this->epoch() != epoch_seen) return true;
      if (spins <= kYielding && spins % 16 == 0)
        std::this_thread::yield();
      else
        relax();
    }
    return false;
  }

  /// Sleeps until the epoch passes `epoch_seen`.
  void wait(int epoch_seen) const { epoch_.wait(epoch_seen); }

 private:
  std::atomic<int> epoch_ = 0;
};

}  // namespace arlab::collectives
