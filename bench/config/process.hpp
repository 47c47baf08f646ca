// What the program may do as a process, and how it ends.
#pragma once

#include <string_view>

namespace arlab::bench {

inline constexpr std::string_view kOutOfMemory =
    "out of memory: use fewer ranks or smaller sizes; --dry-run prints what a sweep needs";

/// Why this program cannot start others, and what to do; empty if it can.
std::string_view no_processes_reason();

/// Throws Error(environment) if this program cannot start others, which `what` needs.
void expect_processes(std::string_view what);

/// Ends the process after what was written has left it, without the destructors of static objects:
/// LibTorch's take half a second.
[[noreturn]] void exit_at_once(int status);

}  // namespace arlab::bench
