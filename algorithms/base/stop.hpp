// stop: ends a call that takes long, from outside, such as by Ctrl-C in Python.
//
// Loops over many events or messages ask stop_if_asked(). Nobody asks them to stop in the program,
// which the signal ends.
#pragma once

#include <atomic>
#include <exception>

namespace arlab {

/// Thrown where a call ends early, because it was asked to.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

/// Whether all calls in this process are to end. May be set by a signal handler.
inline std::atomic<bool> stop_is_asked = false;

/// Throws Stopped if it is.
inline void stop_if_asked() {
#ifdef __cpp_exceptions
  if (stop_is_asked.load(std::memory_order_relaxed)) throw Stopped();
#endif
}

}  // namespace arlab
