// Progress: reports on stderr what a command is doing, so that nothing takes long in silence.
//
// On a terminal it rewrites one line in place. Everywhere it prints a line after 5 s, 15 s, and
// then every minute, unless the environment variable ARLAB_PROGRESS is "off".
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace arlab::bench {

class Progress {
 public:
  /// `activity` is what takes the time until begin(): "arlab simulate".
  explicit Progress(std::string activity);
  /// Shows a bar, the current step and the time left. `steps`: the total number.
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins `steps` steps, whose time left is estimated.
  void begin(std::size_t steps);
  void show(std::size_t done, std::string_view what);
  /// Removes the line, so that something else can be printed.
  void clear();
  /// Prints nothing any more.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void start_reports();
  void report_until_stopped();
  std::string time_left(Clock::time_point now) const;

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::string activity_;
  std::size_t steps_ = 0, done_ = 0;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
  std::thread reports_;
};

}  // namespace arlab::bench
