// A process that writes, and is killed at any time.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"

namespace arlab {

/// Twenty times: calls write() in a process of its own, which is killed after `least_us` to five times that;
/// then calls check(). write() must not return.
template <class Write, class Check>
void kill_at_any_time(std::uint64_t least_us, Write write, Check check) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) try {
        write();
      } catch (...) {
        ::_exit(1);
      }
    ::usleep(
        static_cast<useconds_t>(least_us + Random(i).below(static_cast<Count>(4 * least_us), 0)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    check();
  }
}

}  // namespace arlab
