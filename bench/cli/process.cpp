#include "bench/cli/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>

namespace arlab::bench {
namespace {

bool is_out_of_memory() {
  const std::exception_ptr current = std::current_exception();
  if (!current) return false;
  try {
    std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Memory may end where nothing can be thrown: destructors of JSON allocate, for example.
[[noreturn]] void end_process() {
  if (!is_out_of_memory()) std::abort();
  for (const std::string_view part :
       {std::string_view("error: "), kOutOfMemory, std::string_view("\n")})
    static_cast<void>(!write(STDERR_FILENO, part.data(), part.size()));
  std::_Exit(3);
}

}  // namespace

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)  // open() takes the lowest that is free: this one
      static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_process);
}

}  // namespace arlab::bench
