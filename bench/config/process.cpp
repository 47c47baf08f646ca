#include "bench/config/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

void write_error(std::string_view text) {
  for (const std::string_view part : {std::string_view("error: "), text, std::string_view("\n")})
    static_cast<void>(!write(STDERR_FILENO, part.data(), part.size()));
}

// Memory and threads may end where nothing can be thrown: destructors of JSON allocate, for
// example.
[[noreturn]] void end_process() {
  if (const std::exception_ptr current = std::current_exception()) try {
      std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
      write_error(kOutOfMemory);
      std::_Exit(3);
    } catch (const std::system_error& error) {
      write_error(error.what());
      std::_Exit(3);
    } catch (...) {
    }
  std::abort();
}

// Also while libraries are initialized, which is before main() and before our own static objects.
void end_early(int, char**, char**) { std::set_terminate(end_process); }
[[gnu::section(".preinit_array"), gnu::used]] void (*early)(int, char**, char**) = end_early;

}  // namespace

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)  // open() takes the lowest that is free: this one
      static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_process);
}

std::string_view no_processes_reason() {
#ifdef __EMSCRIPTEN__
  return "need another program, and WebAssembly starts none: use the native program";
#else
  return "";
#endif
}

void expect_processes(std::string_view what) {
  if (const std::string_view reason = no_processes_reason(); !reason.empty())
    fail(Blame::environment, std::string(what) + ' ' + std::string(reason));
}

void exit_at_once(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace arlab::bench
