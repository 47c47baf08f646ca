#include "bench/tune/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

// Pointers to the texts, and a null pointer at the end, as the system wants them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// This process's environment with these variables.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& environment) {
  std::fflush(nullptr);
  std::vector<std::string> command = words, variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                 pointers_to(command).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    fail(Blame::environment,
         fmt::format("cannot start {} ({}): install it, or name another launcher", words.front(),
                     std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail(Blame::environment, fmt::format("cannot wait for {} ({}): start again", words.front(),
                                           std::strerror(errno)));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string own_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) fail(Blame::environment, "cannot find this program: /proc is not mounted");
  return self.string();
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  path_ = (error ? std::filesystem::path("/tmp") : base).string() + "/arlab-XXXXXX";
  if (!mkdtemp(path_.data()))
    fail(Blame::environment,
         fmt::format("cannot make the folder {} ({}): set TMPDIR to one that can be written", path_,
                     std::strerror(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace arlab::bench
