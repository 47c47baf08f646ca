// Child processes: runs other commands, such as mpirun, and waits for them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

enum class ChildOutput { discarded, shown };

/// Runs the command with these environment variables besides this process's own, and waits. Its
/// stdin is empty; `output` says what becomes of its stdout. It ends with this process. Returns its
/// exit status; 128 and more: the signal that ended it. Throws Error(environment) if it cannot be
/// started.
int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& environment = {},
              ChildOutput output = ChildOutput::discarded);

/// Replaces this process by a program, found by the path, with these words. Throws
/// Error(environment), with what to do, if it cannot be started.
[[noreturn]] void replace_process(const std::string& program, std::vector<std::string> words,
                                  std::string_view remedy);

/// Returns the path of this program.
std::string own_program();

/// Returns the path of arlab-train beside this program; empty if there is none.
std::string trainer_program();

}  // namespace arlab::bench
