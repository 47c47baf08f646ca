#include "bench/config/process.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "algorithms/base/error.hpp"

namespace arlab::bench {

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
