#include "bench/prepare_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>
#include <system_error>

#include "bench/config/process.hpp"

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

struct sigaction hangup {};  // what a terminal that closes does, before UCX takes that signal

// Before libraries are initialized, which is before main() and before our own static objects.
void begin(int, char**, char**) {
  std::set_terminate(end_process);
  sigaction(SIGHUP, nullptr, &hangup);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*early)(int, char**, char**) = begin;

}  // namespace

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)  // open() takes the lowest that is free: this one
      static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
  std::signal(SIGXFSZ, SIG_IGN);
  sigaction(SIGHUP, &hangup, nullptr);
  std::set_terminate(end_process);
}

}  // namespace arlab::bench
