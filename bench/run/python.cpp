#include "bench/run/python.hpp"

#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "bench/run/child.hpp"

namespace arlab::bench {

FoundPython find_python(const std::string& module) {
  const std::string code =
      fmt::format("import importlib.util as u, sys\nsys.exit(not u.find_spec('{}'))", module);
  std::string any;
  for (const char* const name : {"python3", "/usr/bin/python3"}) {
    try {
      const int status = run_child({name, "-c", code});
      if (status == 0) return {name, true};
      if (any.empty() && status == 1) any = name;
    } catch (const Error&) {  // there is none
    }
  }
  return {any, false};
}

}  // namespace arlab::bench
