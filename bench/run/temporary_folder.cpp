#include "bench/run/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU};

// What a signal handler may use: it can be given nothing.
std::atomic<int> handler_pipe{-1};
std::atomic<pid_t> worker{0};

void pass_on(int signal) {
  const int error = errno;
  const char byte = static_cast<char>(signal);
  static_cast<void>(!::write(handler_pipe, &byte, 1));
  errno = error;
}

// A launcher takes a moment to end its ranks, and to remove what they share.
void end_worker(int signal) {
  using namespace std::chrono_literals;
  const pid_t group = worker;
  if (group <= 0) return;
  kill(-group, signal == SIGINT || signal == SIGHUP ? signal : SIGTERM);
  const auto last = std::chrono::steady_clock::now() + 10s;
  while (kill(-group, 0) == 0 && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(10ms);
  kill(-group, SIGKILL);
}

}  // namespace

// A thread that waits for a signal, since a handler may do next to nothing.
class SignalWatch {
 public:
  explicit SignalWatch(std::string folder) : folder_(std::move(folder)) {
    if (pipe2(pipe_.data(), O_CLOEXEC) != 0) return;
    handler_pipe = pipe_[1];
    try {
      thread_ = std::thread([this] { wait(); });
    } catch (const std::system_error&) {
      return;  // out of threads: a signal ends the process as it always does
    }
    struct sigaction mine {};
    mine.sa_handler = pass_on;
    mine.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &earlier_[i]);
      if (earlier_[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &mine, nullptr);
    }
  }

  ~SignalWatch() {
    if (thread_.joinable()) {
      for (std::size_t i = 0; i < kSignals.size(); ++i)
        if (earlier_[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &earlier_[i], nullptr);
      pass_on(0);
      thread_.join();  // does not return after a signal
    }
    handler_pipe = -1;
    for (const int end : pipe_)
      if (end >= 0) ::close(end);
  }

  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void wait() const {
    char signal = 0;
    if (::read(pipe_[0], &signal, 1) != 1 || signal == 0) return;
    end_worker(signal);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    ::signal(signal, SIG_DFL);
    kill(getpid(), signal);
    for (;;) pause();
  }

  const std::string folder_;
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, kSignals.size()> earlier_{};
  std::thread thread_;
};

TemporaryFolder::TemporaryFolder() {
  // A signal waits until the folder is watched.
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : kSignals) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  path_ = (error ? std::filesystem::path("/tmp") : base).string() + "/arlab-XXXXXX";
  const int failed = mkdtemp(path_.data()) ? 0 : errno;
  if (failed == 0) watch_ = std::make_unique<SignalWatch>(path_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0)
    fail(Blame::environment,
         fmt::format("cannot make the folder {} ({}): set TMPDIR to one that can be written", path_,
                     std::strerror(failed)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  watch_.reset();
}

Worker::Worker(pid_t group) { worker = group; }
Worker::~Worker() { worker = 0; }

}  // namespace arlab::bench
