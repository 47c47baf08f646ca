// arlab train, as arlab itself has it: starts the program arlab-train beside it, which is linked
// with LibTorch.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "algorithms/error.hpp"
#include "bench/verbs.hpp"

namespace arlab {
namespace {

[[noreturn]] void start(const std::vector<std::string>& command) {
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string program = (self.parent_path() / "arlab-train").string();
  if (!std::filesystem::exists(program, none))
    fail(Blame::environment,
         "train needs LibTorch, which this arlab is built without: apt install libtorch-dev "
         "libopenblas0-pthread, then configure and build again");
  std::vector<char*> words;
  std::vector<std::string> copies = command;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  fail(Blame::environment, fmt::format("cannot start {} ({}): build or install it again", program,
                                       std::strerror(errno)));
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand(
      "train", "Train a model on several workers, and see what communication costs");
  verb->set_help_flag();  // all options are arlab-train's
  verb->prefix_command();
  verb->callback([&session] { start(session.command); });
}

}  // namespace arlab
