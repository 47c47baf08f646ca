#include "bench/run/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/config/process.hpp"
#include "bench/run/temporary_folder.hpp"

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

std::string_view remedy_for(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EAGAIN:
      return "end other processes, or raise their limit (ulimit -u)";
    case ENOMEM:
      return "free memory, or use fewer ranks";
    case E2BIG:
      return "give fewer or shorter arguments";
    default:
      return "install it, or name another launcher";
  }
}

[[noreturn]] void cannot_start(const std::string& program, int error) {
  fail(Blame::environment,
       fmt::format("cannot start {} ({}): {}", program, std::strerror(error), remedy_for(error)));
}

// In the child, which ends with its parent, however that ends: a launcher then ends its ranks.
[[noreturn]] void become(const std::vector<char*>& command, const std::vector<char*>& variables,
                         ChildOutput output, pid_t parent, int report) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != parent) _exit(1);  // it has ended already
  setpgid(0, 0);                      // signals to this process come through Worker, once
  ::signal(SIGTTOU, SIG_IGN);         // and its messages still go to the terminal
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) dup2(null, STDIN_FILENO);
  if (null >= 0 && output == ChildOutput::discarded) dup2(null, STDOUT_FILENO);
  environ = const_cast<char**>(variables.data());
  execvp(command.front(), command.data());
  const int error = errno;
  if (::write(report, &error, sizeof error) != sizeof error) _exit(126);
  _exit(127);
}

}  // namespace

int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& environment, ChildOutput output) {
  expect_processes(words.front() + ": commands like it");
  std::fflush(nullptr);
  std::vector<std::string> command = words, variables = environment_with(environment);
  const std::vector<char*> arguments = pointers_to(command), settings = pointers_to(variables);
  int report[2];  // of exec's error; closed by a successful exec
  if (pipe2(report, O_CLOEXEC) != 0) cannot_start(words.front(), errno);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) cannot_start(words.front(), errno);
  if (child == 0) become(arguments, settings, output, parent, report[1]);
  setpgid(child, child);
  const Worker worker(child);
  close(report[1]);
  int error = 0;
  if (::read(report[0], &error, sizeof error) != sizeof error) error = 0;
  close(report[0]);
  if (error != 0) {
    waitpid(child, nullptr, 0);
    cannot_start(words.front(), error);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail(Blame::environment, fmt::format("cannot wait for {} ({}): start again", words.front(),
                                           std::strerror(errno)));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void replace_process(const std::string& program, std::vector<std::string> words,
                     std::string_view remedy) {
  ::execvp(program.c_str(), pointers_to(words).data());
  fail(Blame::environment,
       fmt::format("cannot start {} ({}): {}", program, std::strerror(errno), remedy));
}

std::string own_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) fail(Blame::environment, "cannot find this program: /proc is not mounted");
  return self.string();
}

std::string trainer_program() {
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string beside = (self.parent_path() / "arlab-train").string();
  return std::filesystem::exists(beside, none) ? beside : "";
}

}  // namespace arlab::bench
