#include "bench/text/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "bench/text/say.hpp"

namespace arlab::bench {

using namespace std::chrono_literals;

Progress::Progress(std::string activity)
    : activity_(std::move(activity)), terminal_(isatty(STDERR_FILENO) != 0) {
  start_reports();
}

Progress::Progress(std::size_t steps) : steps_(steps), terminal_(isatty(STDERR_FILENO) != 0) {
  start_reports();
}

Progress::~Progress() {
  stop();
  if (reports_.joinable()) reports_.join();
}

void Progress::start_reports() {
  const char* wanted = std::getenv("ARLAB_PROGRESS");
  if (wanted && std::string_view(wanted) == "off") return;
  try {
    reports_ = std::thread([this] { report_until_stopped(); });
  } catch (const std::system_error&) {
    // Out of threads: the command works without reports.
  }
}

void Progress::stop() {
  clear();
  const std::lock_guard lock(mutex_);
  stop_ = true;
  stopped_.notify_all();
}

void Progress::begin(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  steps_ = steps;
  done_ = 0;
  start_ = Clock::now();
}

std::string Progress::time_left(Clock::time_point now) const {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (done_ == 0 || elapsed <= 1) return "";
  return fmt::format("{:.0f} s left", elapsed / static_cast<double>(done_) *
                                          static_cast<double>(steps_ - std::min(done_, steps_)));
}

void Progress::report_until_stopped() {
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  for (auto next = 5s; !stopped_.wait_until(lock, begin + next, [this] { return stop_; });
       next = next == 5s    ? 15s
              : next == 15s ? 60s
                            : next + 60s) {
    if (terminal_ && shown_) continue;
    const std::string left = time_left(Clock::now());
    if (steps_ > 0)
      say("note: after {} s, {} of {} are done{}{}{}{}\n", next.count(), done_, steps_,
          activity_.empty() ? "" : ", now ", activity_, left.empty() ? "" : ", about ", left);
    else
      say("note: after {} s, {} is still working\n", next.count(), activity_);
  }
}

void Progress::show(std::size_t done, std::string_view what) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  done_ = done;
  activity_ = what;
  if (!terminal_ || (shown_ && now - last_ < 100ms)) return;
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = steps_ == 0 ? kWidth : kWidth * std::min(done, steps_) / steps_;
  const std::string left = time_left(now);
  say("\r\033[K[{}{}] {}/{}  {}{}{}", std::string(filled, '#'), std::string(kWidth - filled, '.'),
      done, steps_, what.substr(0, 40), left.empty() ? "" : "  ", left);
  std::fflush(stderr);
  last_ = now;
  shown_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  say("\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace arlab::bench
