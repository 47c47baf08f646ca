// What the program settles about its process before it does anything.
#pragma once

#include <string_view>

namespace arlab::bench {

inline constexpr std::string_view kOutOfMemory =
    "out of memory: use fewer ranks or smaller sizes; --dry-run prints what a sweep needs";

/// Opens standard files that are closed, so that a result file cannot take their place and receive
/// tables. Reading stdin and writing stdout then fail, and messages are lost. A file
/// that reaches its size limit becomes a failed write instead of a signal, and memory that ends
/// where nothing can be thrown ends the process with a message and status 3.
void prepare_process();

/// Why this program cannot start others, and what to do; empty if it can.
std::string_view no_processes_reason();

/// Throws Error(environment) if this program cannot start others, which `what` needs.
void expect_processes(std::string_view what);

/// Ends the process after what was written has left it, without the destructors of static objects:
/// LibTorch's take half a second.
[[noreturn]] void exit_at_once(int status);

}  // namespace arlab::bench
