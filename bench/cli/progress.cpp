#include "bench/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace arlab::bench {

Progress::Progress(std::size_t steps) : steps_(steps), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(std::size_t done, std::string_view what) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || (shown_ && now - last_ < 100ms)) return;
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = steps_ == 0 ? kWidth : kWidth * done / steps_;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string left;
  if (done > 0 && elapsed > 1)
    left = fmt::format("  {:.0f} s left",
                       elapsed / static_cast<double>(done) * static_cast<double>(steps_ - done));
  fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {}{}", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), done, steps_, what.substr(0, 40), left);
  std::fflush(stderr);
  last_ = now;
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace arlab::bench
