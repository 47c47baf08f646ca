// start_thread: a thread, or an error that says what to do.
#pragma once

#include <functional>
#include <thread>

namespace arlab::collectives {

/// Throws Error(environment) if the system cannot start one.
std::thread start_thread(std::function<void()> body);

}  // namespace arlab::collectives
