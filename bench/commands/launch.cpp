// arlab launch: mpirun with what jobs of PyTorch and Horovod need. It prints the line, and becomes
// it.
//
// Open MPI binds each rank to a core, which takes the threads of the others from its computation,
// and passes no variables on to other hosts. MPICH's launcher does neither.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/config/launcher.hpp"
#include "bench/config/process.hpp"
#include "bench/results/context.hpp"
#include "bench/run/child.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kMpirun = "mpirun";

// What it says about itself. Throws Error(environment) if there is none.
std::string version_of_mpirun() {
  std::string text;
  FILE* const pipe = ::popen("mpirun --version 2>&1", "r");
  if (pipe) {
    char part[256];
    while (std::fgets(part, sizeof part, pipe)) text += part;
  }
  if (!pipe || ::pclose(pipe) != 0)
    fail(Blame::environment,
         "launch needs mpirun, which does not start here: apt install openmpi-bin, or load the "
         "module of an MPI; on one machine torchrun starts jobs, too");
  return text;
}

bool has(const std::vector<std::string>& words, std::string_view option) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    while (word.starts_with('-')) word.remove_prefix(1);
    return word == option;
  });
}

bool reaches_other_hosts(std::string_view variable) {
  constexpr std::string_view kOfJobs[] = {"ARLAB_", "HOROVOD_", "NCCL_", "OMP_", "TORCH_"};
  constexpr std::string_view kPaths[] = {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH"};
  return std::ranges::any_of(kOfJobs, [&](auto begin) { return variable.starts_with(begin); }) ||
         std::ranges::find(kPaths, variable) != std::end(kPaths);
}

// The names of variables that are set, in order, without those that the caller passes on.
std::vector<std::string> passed_on(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view variable = *entry;
    const std::string name(variable.substr(0, variable.find('=')));
    const bool given = std::ranges::any_of(words, [&](const std::string& word) {
      return word == name || word.starts_with(name + '=');
    });
    if (reaches_other_hosts(name) && !given) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// Where this build or installation has the Python package, for scripts that import it; else empty.
std::string folder_of_package() {
  const std::filesystem::path here = std::filesystem::path(own_program()).parent_path();
  std::error_code ignored;
  for (const char* folder : {"../python", "../share/arlab/python"})
    if (std::filesystem::exists(here / folder / "arlab/__init__.py", ignored))
      return (here / folder).lexically_normal().string();
  return {};
}

// Returns what it has set, as a shell sets it for a command.
std::string add_package_to_path() {
  const std::string folder = folder_of_package();
  const char* const now = std::getenv("PYTHONPATH");
  if (folder.empty()) return {};
  const std::string path = now && *now ? fmt::format("{}:{}", now, folder) : folder;
  ::setenv("PYTHONPATH", path.c_str(), 1);
  return fmt::format("PYTHONPATH={} ", shell_quoted({path}));
}

std::vector<std::string> line_for(const std::vector<std::string>& words) {
  std::vector<std::string> line{kMpirun};
  if (version_of_mpirun().find("Open MPI") != std::string::npos) {
    if (!has(words, "bind-to")) line.insert(line.end(), {"--bind-to", "none"});
    for (const std::string& name : passed_on(words)) line.insert(line.end(), {"-x", name});
  }
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

}  // namespace

void hand_over_to_mpirun(const std::vector<std::string>& words) {
  constexpr std::string_view kHelp[] = {"-h", "--help", "--help-all"};
  if (words.size() < 3 || words[1] != "launch" || std::ranges::count(kHelp, words[2]) > 0) return;
  expect_processes("jobs");
  if (launched_rank()) fail(Blame::usage, "launch starts a job: start it once, without mpirun");
  const std::string set = add_package_to_path();
  const std::vector<std::string> line = line_for({words.begin() + 2, words.end()});
  say("{}{}\n", set, shell_quoted(line));
  replace_process(kMpirun, line, "install it again");
}

void add_launch(CLI::App& command, Session&) {
  command.footer(
      "Examples:\n  arlab launch -np 4 python3 train.py\n  arlab launch -np 4 -H a:2,b:2 python3 "
      "train.py\n\nThe words are those of mpirun, and the line that starts is printed. With Open "
      "MPI, ranks may use\nall cores (--bind-to none), and other hosts get PATH, PYTHONPATH, "
      "LD_LIBRARY_PATH, and the variables\nwhose names begin with ARLAB_, HOROVOD_, NCCL_, OMP_, "
      "and TORCH_. PYTHONPATH has the Python package\nof this program. Signals and exit statuses "
      "are mpirun's.");
  command.callback([] {
    fail(Blame::usage,
         "launch has nothing to start: give options of mpirun and a program, as in `arlab launch "
         "-np 2 python3 train.py`");
  });
}

}  // namespace arlab::bench
