#include "bench/formats/python_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/config/process.hpp"
#include "bench/formats/own_algorithm.hpp"
#include "bench/results/charts_archive.hpp"
#include "bench/text/read_file.hpp"

namespace arlab::bench {
namespace {

using Answer = nlohmann::ordered_json;

constexpr std::string_view kPythonSuffix = ".py";

// Where the name of an algorithm begins in "mine.py:ring"; npos if there is none.
std::size_t end_of_path(const std::string& name) {
  const std::size_t named = name.rfind(".py:");
  return named == std::string::npos ? named : named + kPythonSuffix.size();
}

// A process that answers lines of JSON with lines of JSON.
class PythonProcess {
 public:
  explicit PythonProcess(const std::string& path) : path_(path) {
    int to[2], from[2];
    // A socket, since to write to a pipe that Python has closed would end this process.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0 || pipe2(from, O_CLOEXEC) != 0)
      cannot_start(errno);
    const std::string code = fmt::format(
        "import sys\nsys.path.append('/proc/self/fd/{}/bench/python')\n"
        "from arlab._served import serve\nserve(sys.argv[1])",
        open_charts_archive());
    std::vector<std::string> words{"python3", "-B", "-c", code, path};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    const int error =
        posix_spawnp(&child_, "python3", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(to[0]);
    ::close(from[1]);
    if (error != 0) cannot_start(error);
    in_ = to[1];
    out_ = fdopen(from[0], "r");
  }
  // It ends at the end of its input.
  ~PythonProcess() {
    ::close(in_);
    std::fclose(out_);
    ::waitpid(child_, nullptr, 0);
  }
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  Answer ask(const Answer& question) {
    const std::lock_guard lock(mutex_);
    const std::string line = question.dump() + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t more = ::send(in_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) break;  // it has ended, and answers nothing
      sent += static_cast<std::size_t>(more);
    }
    return answer();
  }

  // What it says by itself.
  Answer answer() {
    std::string line;
    char part[1 << 16];
    while (!line.ends_with('\n') && std::fgets(part, sizeof part, out_)) line += part;
    Answer message = Answer::parse(line, nullptr, false);
    if (!line.ends_with('\n') || message.is_discarded())
      fail(Blame::environment,
           "Python ended early, with " + path_ +
               ": if it says nothing above, look there for what ends it or closes its files");
    if (message.contains("error"))
      fail(message["blame"] == 1 ? Blame::check : Blame::usage, message["error"]);
    return message;
  }

 private:
  [[noreturn]] static void cannot_start(int error) {
    fail(Blame::environment, fmt::format("cannot start python3 ({}), which files of algorithms "
                                         "need: apt install python3",
                                         std::strerror(error)));
  }

  std::string path_;
  pid_t child_ = -1;
  int in_ = -1;
  std::FILE* out_ = nullptr;
  std::mutex mutex_;
};

Answer question(std::string_view ask, const Problem& p) {
  return {{"ask", ask}, {"collective", name(p.collective)}, {"ranks", p.ranks}, {"root", p.root}};
}

// A rank's rounds are lists of kind, peer, first chunk, chunks and stride of one action after
// another.
Script::Rounds rounds_in(const Answer& rank) {
  constexpr std::size_t kNumbers = 5;
  Script::Rounds rounds;
  for (const Answer& round : rank) {
    std::vector<Action>& actions = rounds.emplace_back();
    const auto number = [&](std::size_t at) { return round[at].get<Rank>(); };
    for (std::size_t i = 0; i + kNumbers <= round.size(); i += kNumbers)
      actions.push_back({static_cast<ActionKind>(number(i)),
                         number(i + 1),
                         {number(i + 2), number(i + 3), number(i + 4)}});
  }
  return rounds;
}

}  // namespace

bool is_python_file(const std::string& name) {
  return name.ends_with(kPythonSuffix) || end_of_path(name) != std::string::npos;
}

std::shared_ptr<const Algorithm> python_algorithm(const std::string& name) {
  expect_processes("algorithms in Python files");
  const std::string path = name.substr(0, end_of_path(name));
  read_file(path, "give a file with an algorithm in Python");  // or throws
  const auto python = std::make_shared<PythonProcess>(name);
  const Answer about = python->answer();
  OwnAlgorithm own{
      .name = "file:" + name, .label = about["name"], .summary = about["summary"], .source = path};
  own.collectives.clear();
  for (const Answer& one : about["collectives"])
    own.collectives.push_back(find_named(kCollectives, one.get<std::string>(), "collective"));
  own.chunks_per_rank = about["chunks_per_rank"];
  own.plan = [python](const Problem& p) {
    std::vector<Script::Rounds> all;
    const Answer plan = python->ask(question("plan", p));
    for (const Answer& rank : plan["ranks"]) all.push_back(rounds_in(rank));
    return all;
  };
  if (about["cost"].get<bool>())
    own.cost = [python](const Problem& p) {
      Answer asked = question("cost", p);
      asked["elements"] = p.elements;
      const Answer cost = python->ask(asked)["cost"];
      return Cost{cost[0], cost[1], cost[2]};
    };
  own.unsupported_reason = [python](const Problem& p) {
    return python->ask(question("supports", p))["reason"].get<std::string>();
  };
  own.place = [python](const Problem& p, Rank me, Count round) {
    Answer asked = question("place", p);
    asked["rank"] = me;
    asked["round"] = round;
    return python->ask(asked)["place"].get<std::string>();
  };
  return algorithm_of(std::move(own));
}

}  // namespace arlab::bench
