#include "bench/cli/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace arlab::bench {

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)  // open() takes the lowest that is free: this one
      static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace arlab::bench
