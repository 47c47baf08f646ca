// arlab doctor: what works on this machine with this program, and how to get the rest.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/config/process.hpp"
#include "bench/run/child.hpp"
#include "bench/run/python.hpp"
#include "bench/text/table.hpp"
#include "collectives/backends/backend.hpp"
#include "plots/explorer/engine/page.hpp"

namespace arlab::bench {
namespace {

// What somebody may want to do.
struct Finding {
  std::string what;
  std::string missing;  // how to get it; empty if it works
  std::string note;     // if it works
};

Finding training() {
  if (const std::string program = trainer_program(); !program.empty())
    return {"train models", "", "by " + program};
  if (const std::string_view reason = no_processes_reason(); !reason.empty())
    return {"train models", std::string(reason), ""};
  return {"train models", "needs LibTorch: install libtorch-dev, then build the program again", ""};
}

Finding charts() {
  if (const std::string_view reason = no_processes_reason(); !reason.empty())
    return {"charts", std::string(reason), ""};
  const FoundPython python = find_python("matplotlib");
  if (python.has_module) return {"charts", "", "by " + python.program};
  return {"charts",
          python.program.empty() ? "need Python 3 with matplotlib: install python3-matplotlib"
                                 : python.program +
                                       " has no matplotlib: install it with pip or "
                                       "from the package python3-matplotlib",
          ""};
}

Finding python_algorithms() {
  if (const std::string_view reason = no_processes_reason(); !reason.empty())
    return {"algorithms in Python files", std::string(reason), ""};
  const FoundPython python = find_python("ast");
  if (python.has_module) return {"algorithms in Python files", "", "by " + python.program};
  return {"algorithms in Python files", "need Python 3.9 or newer: install python3", ""};
}

Finding explorer_page() {
  if (explorer::has_module()) return {"explorer", "", "computes anything in the browser"};
  return {"explorer",
          "built without WebAssembly, so its page shows precomputed runs only: build with ./lab "
          "demo, which installs the compiler",
          ""};
}

std::vector<Finding> findings() {
  std::vector<Finding> all{{"prove, count, simulate, bound, plan", "", "need no other software"}};
  for (const collectives::Backend& b : collectives::backends()) {
    const std::string missing = b.unavailable_reason();
    all.push_back({fmt::format("run -b {}", b.name), missing, missing.empty() ? b.note() : ""});
  }
  all.push_back(training());
  all.push_back(charts());
  all.push_back(python_algorithms());
  all.push_back(explorer_page());
  return all;
}

void examine() {
  const std::vector<Finding> all = findings();
  std::size_t working = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Finding& one : all) {
    if (one.missing.empty()) ++working;
    rows.push_back({one.what, one.missing.empty() ? "works" : "no",
                    one.missing.empty() ? one.note : one.missing});
  }
  fmt::print("{} of {} work here.\n\n{}", working, all.size(),
             markdown({"to", "here", "by, or what is missing"}, rows));
}

}  // namespace

void add_doctor(CLI::App& command, Session&) {
  command.footer("Examples:\n  arlab doctor");
  command.callback(examine);
}

}  // namespace arlab::bench
