// Errors: what is wrong (with the bad value) and what to do next, in one sentence each.
//
// Libraries raise through fail(); only a program's main() turns an Error into an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace arlab {

/// Who has to act on an error; the value is the exit code of a program that stops on it.
enum class Blame { check = 1, usage = 2, environment = 3 };

class Error : public std::runtime_error {
 public:
  Error(Blame blame, const std::string& what) : std::runtime_error(what), blame_(blame) {}
  Blame blame() const { return blame_; }

 private:
  Blame blame_;
};

/// Raises Error; where exceptions are off (WebAssembly) prints the message and traps.
[[noreturn]] void fail(Blame blame, const std::string& what);

/// An invariant of our own code; a failure is a bug in it, not in the input.
inline void expects(bool condition, const char* what) {
  if (!condition) fail(Blame::check, std::string("internal error, please report: ") + what);
}

}  // namespace arlab
