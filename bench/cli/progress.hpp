// Progress: rewrites one line on stderr in place, if stderr is a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace arlab::bench {

class Progress {
 public:
  /// Shows a bar, the current step and the time left. `steps`: the total number.
  explicit Progress(std::size_t steps);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::string_view what);
  /// Removes the line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t steps_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace arlab::bench
