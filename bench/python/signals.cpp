#include "bench/python/signals.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "algorithms/base/stop.hpp"

namespace arlab::bench::python {
namespace {

void (*previous_handler)(int) = nullptr;

void ask_to_stop(int signal) {
  stop_is_asked.store(true, std::memory_order_relaxed);
  if (previous_handler) previous_handler(signal);
}

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

}  // namespace

InterruptGuard::InterruptGuard() {
  if (!is_main_thread()) return;  // signals are handled there
  struct sigaction now {};
  ::sigaction(SIGINT, nullptr, &before_);
  // Where interrupts are ignored, or handled otherwise, they stay so.
  if ((before_.sa_flags & SA_SIGINFO) != 0 || before_.sa_handler == SIG_DFL ||
      before_.sa_handler == SIG_IGN || before_.sa_handler == ask_to_stop)
    return;
  previous_handler = before_.sa_handler;
  now = before_;
  now.sa_handler = ask_to_stop;
  installed_ = ::sigaction(SIGINT, &now, nullptr) == 0;
}

InterruptGuard::~InterruptGuard() {
  if (!installed_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  stop_is_asked.store(false, std::memory_order_relaxed);
}

}  // namespace arlab::bench::python
