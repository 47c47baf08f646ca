// Python on this machine, for charts and for algorithms in Python files.
#pragma once

#include <string>

namespace arlab::bench {

struct FoundPython {
  std::string program;  ///< to start it; empty if there is none
  bool has_module = false;
};

/// Returns a Python 3 that can import `module`, else any.
FoundPython find_python(const std::string& module);

}  // namespace arlab::bench
