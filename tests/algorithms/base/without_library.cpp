// error.cpp and quantities.cpp as they are compiled for WebAssembly: without exceptions, and with a
// library whose from_chars reads whole numbers only.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.hpp"

#undef __cpp_exceptions
#undef __cpp_lib_to_chars
#define arlab portable  // so that it differs from the library's
#include "algorithms/base/error.cpp"
#include "algorithms/base/quantities.cpp"

namespace {

struct Ended {
  int signal = 0;
  std::string text;  // on stderr
};

// Calls f in another process.
template <class F>
Ended ended(F f) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    for (const int number : {SIGILL, SIGTRAP}) std::signal(number, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    f();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended result;
  char some[256];
  for (ssize_t n; (n = ::read(ends[0], some, sizeof some)) > 0;)
    result.text.append(some, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

bool trapped(const Ended& one) { return one.signal == SIGILL || one.signal == SIGTRAP; }

}  // namespace

TEST_CASE("without exceptions an error is printed, and the program traps") {
  // Through a pointer, which may return.
  void (*volatile raise)(portable::Blame, const std::string&) = portable::fail;
  const Ended one = ended([&] { raise(portable::Blame::usage, "ranks is 0: give at least 1"); });
  CHECK(one.text == "error 2: ranks is 0: give at least 1\n");
  CHECK(trapped(one));
}

TEST_CASE("without from_chars of floats the same numbers are read") {
  CHECK(portable::parse_number("7", "x") == 7);
  CHECK(portable::parse_number(" -1e-3 ", "x") == -1e-3);
  CHECK(portable::parse_number("0.1", "x") == 0.1);
  CHECK(portable::parse_number(".5", "x") == 0.5);
  CHECK(portable::parse_count("1.5K", "n") == 1536);
  CHECK(portable::parse_count("9007199254740993", "n") == 9007199254740993);
  CHECK(portable::parse_time("5 us", "t") == 5e6);
  CHECK(portable::parse_time("0.07ns", "t") == 70);
}

TEST_CASE("without from_chars of floats the same texts are refused") {
  for (const char* text :
       {"", "x", "1x", "nan", "inf", "-inf", "1e400", "+1", "e5", "0x1", "--4", "-"}) {
    INFO(text);
    const Ended one = ended([&] { portable::parse_number(text, "size"); });
    CHECK(one.text == "error 2: size '" + std::string(text) +
                          "' is not a number: write for example 4 or 1.5\n");
    CHECK(trapped(one));
  }
}
