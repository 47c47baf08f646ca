// Doorbell: lets one thread sleep until others have something for it.
//
// Whoever has changed something rings; the sleeper reads the count before it looks around, and
// sleeps only while the count is still the same, so no ring is missed.
#pragma once

#include <atomic>
#include <thread>

namespace arlab::collectives {

class alignas(64) EventCount {
 public:
  int heard() const { return rings_.load(std::memory_order_acquire); }

  void ring() {
    rings_.fetch_add(1);
    rings_.notify_all();
  }

  /// Whether it rang after `heard` within that many looks. Now and then lets others have the core:
  /// the one to wait for may be waiting for it.
  bool rings_soon(int heard, int looks) const {
    for (; looks > 0; --looks) {
      if (this->heard() != heard) return true;
      if (looks % 16 == 0)
        std::this_thread::yield();
      else
        relax();
    }
    return false;
  }

  /// Sleeps until it rings after `heard`.
  void wait(int heard) const { rings_.wait(heard); }

 private:
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<int> rings_ = 0;
};

}  // namespace arlab::collectives
