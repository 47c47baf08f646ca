#include "algorithms/base/error.hpp"

#ifndef __cpp_exceptions
#include <cstdio>
#endif

namespace arlab {

void fail(Blame blame, const std::string& what) {
#ifdef __cpp_exceptions
  throw Error(blame, what);
#else
  std::fprintf(stderr, "error %d: %s\n", static_cast<int>(blame), what.c_str());
  __builtin_trap();
#endif
}

}  // namespace arlab
