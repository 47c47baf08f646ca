// InterruptGuard: Ctrl-C while C++ computes without the interpreter's lock.
#pragma once

#include <csignal>

namespace arlab::bench::python {

/// While it exists, in the main thread, an interrupt also asks computations to stop (stop.hpp).
/// Python's own handler is called, too.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool installed_ = false;
  struct sigaction before_ {};
};

}  // namespace arlab::bench::python
