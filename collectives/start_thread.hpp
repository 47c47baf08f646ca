// start_thread: a thread, or an error that says what to do.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace arlab::collectives {

/// Why this program has no threads, and what to do; empty if it has.
std::string no_threads_reason();

/// Throws Error(environment) if the system cannot start one.
std::thread start_thread(std::function<void()> body);

}  // namespace arlab::collectives
