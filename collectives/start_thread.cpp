#include "collectives/start_thread.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

std::string no_threads_reason() {
#ifdef __EMSCRIPTEN__
  return "WebAssembly has no threads: use the native program";
#else
  return "";
#endif
}

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    fail(Blame::environment,
         std::string("cannot start a thread: ") + error.what() +
             "; use fewer ranks, or allow this process more threads and memory");
  }
}

}  // namespace arlab::collectives
