// arlab train, in arlab itself: replaces the process by the program arlab-train beside it, which
// links LibTorch.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"

namespace arlab::bench {
namespace {

// ARLAB_TRAIN_TARGET is the command that builds arlab-train, where the build found LibTorch.
#ifdef ARLAB_TRAIN_TARGET
constexpr std::string_view kMissing =
    "needs the program arlab-train beside arlab: build it with `" ARLAB_TRAIN_TARGET "`";
#else
constexpr std::string_view kMissing =
    "needs LibTorch, which the build did not find: apt install libtorch-dev libopenblas0-pthread, "
    "then configure again and build the target arlab_train";
#endif

std::string program() {
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string beside = (self.parent_path() / "arlab-train").string();
  return std::filesystem::exists(beside, none) ? beside : "";
}

[[noreturn]] void start(const std::string& program, std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  fail(Blame::environment, fmt::format("cannot start {} ({}): build or install it again", program,
                                       std::strerror(errno)));
}

}  // namespace

void add_train(CLI::App& command, Session& session) {
  if (add_profiled_training(command, session)) return;
  command.set_help_flag();  // arlab-train has the options
  command.prefix_command();
  command.callback([&session] {
    const std::string found = program();
    if (found.empty()) fail(Blame::environment, fmt::format("train {}", kMissing));
    start(found, session.command);
  });
}

void list_architectures() {
  const std::string found = program();
  if (found.empty()) {
    fmt::print("none: `arlab train` {}\n", kMissing);
    return;
  }
  std::fflush(stdout);
  start(found, {"arlab", "list", "architectures"});
}

}  // namespace arlab::bench
