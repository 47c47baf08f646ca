// A process that writes, and is killed at any time.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"

namespace arlab {

/// Twenty times: calls write() in a process of its own, which is killed after `least_us` to five
/// times that; then calls check(), which says whether anything complete was left. Until it has,
/// each process is given twice the time of the one before: a loaded machine may need long for the
/// first. write() must not return.
template <class Write, class Check>
void kill_at_any_time(std::uint64_t least_us, Write write, Check check) {
  bool written = false;
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
    written |= check();
    if (!written) least_us = std::min<std::uint64_t>(2 * least_us, 2'000'000);
  }
}

}  // namespace arlab
