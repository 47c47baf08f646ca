// Error: the one exception. Its text names the problem, the bad value and the remedy.
//
// Libraries raise it through fail(); only a program's main() turns it into an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace arlab {

/// Why an error occurred: a failed check, wrong usage, or the machine. The value is the exit code
/// of a program that stops on it.
enum class Blame { check = 1, usage = 2, environment = 3 };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& what) : std::runtime_error(what), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

/// Throws Error. Where exceptions are off (WebAssembly) prints the message and traps.
[[noreturn]] void fail(Blame blame, const std::string& what);

/// Checks an invariant of our own code: a failure is a bug, not bad input.
inline void expects(bool condition, const char* what) {
  if (!condition) fail(Blame::check, std::string("internal error, please report: ") + what);
}

}  // namespace arlab
