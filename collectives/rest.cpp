#include "collectives/rest.hpp"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <chrono>
#include <thread>

namespace arlab::collectives {

// Each sleep ends late on a virtual machine, and Linux wakes a thread up 50 us late unless asked.
void rest_after(int polls) {
  constexpr int kYields = 200;
  if (polls < kPollsBeforeRest) return;
  if (polls < kPollsBeforeRest + kYields) return std::this_thread::yield();
#ifdef __linux__
  thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  static_cast<void>(exact);
#endif
  std::this_thread::sleep_for(std::chrono::microseconds(10));
}

}  // namespace arlab::collectives
