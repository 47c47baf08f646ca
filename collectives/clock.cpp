#include "collectives/clock.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <utility>

#include "collectives/start_thread.hpp"

namespace arlab::collectives {
namespace {

using Steady = std::chrono::steady_clock;

Condition machine_condition() {
  const auto changed = std::make_shared<std::condition_variable>();
  return {.wait = [changed](std::unique_lock<std::mutex>& lock) { changed->wait(lock); },
          .wait_until =
              [changed](std::unique_lock<std::mutex>& lock, double seconds) {
                const std::chrono::duration<double> since(seconds);
                changed->wait_until(
                    lock, Steady::time_point(std::chrono::duration_cast<Steady::duration>(since)));
              },
          .notify_all = [changed] { changed->notify_all(); }};
}

class MachineClock final : public Clock {
 public:
  double now() override {
    return std::chrono::duration<double>(Steady::now().time_since_epoch()).count();
  }
  std::thread start(std::function<void()> body) override { return start_thread(std::move(body)); }
  void join(std::thread& thread) override { thread.join(); }
  Condition condition() override { return machine_condition(); }
};

}  // namespace

void Clock::sleep(double seconds) {
  const double until = now() + seconds;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  for (const auto never = condition(); now() < until;) never.wait_until(lock, until);
}

Clock& machine_clock() {
  static MachineClock clock;  // holds nothing
  return clock;
}

}  // namespace arlab::collectives
