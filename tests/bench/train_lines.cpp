// train_lines: runs `arlab train` for each line of stdin, a JSON object with a folder and words,
// and prints what came of it, one JSON object per line: status, stdout, stderr.
//
// Each line runs in a copy of this process, which has loaded LibTorch already: that takes longer
// than most of the runs. A copy does not end by exit(): LibTorch's destructors would copy its
// pages.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/config/process.hpp"
#include "bench/program.hpp"

namespace {

// A file that disappears with the process, in place of a stream.
class Capture {
 public:
  explicit Capture(int stream) : stream_(stream), file_(std::tmpfile()) {
    if (!file_) std::exit(3);
  }
  ~Capture() { std::fclose(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  void begin() const { dup2(fileno(file_), stream_); }
  std::string text() const {
    std::string text;
    std::rewind(file_);
    for (int c; (c = std::fgetc(file_)) != EOF;) text += static_cast<char>(c);
    return text;
  }

 private:
  int stream_;
  std::FILE* file_;
};

[[noreturn]] void run(const nlohmann::json& line) {
  if (chdir(line.at("folder").get<std::string>().c_str()) != 0) std::exit(3);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  std::vector<std::string> words{"arlab", "train"};
  for (const nlohmann::json& word : line.at("words")) words.push_back(word.get<std::string>());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arlab::bench::exit_at_once(
      arlab::bench::run_program(static_cast<int>(arguments.size()), arguments.data()));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const Capture out(STDOUT_FILENO), err(STDERR_FILENO);
    const pid_t child = fork();
    if (child == 0) {
      out.begin();
      err.begin();
      run(nlohmann::json::parse(line));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 3;
    const nlohmann::json answer{{"status", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
                                {"stdout", out.text()},
                                {"stderr", err.text()}};
    std::cout << answer.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << std::endl;
  }
}
