#include "collectives/clock.hpp"

#include <chrono>
#include <condition_variable>
#include <utility>

namespace arlab::collectives {
namespace {

using Steady = std::chrono::steady_clock;

class MachineCondition final : public Condition {
 public:
  void wait(std::unique_lock<std::mutex>& lock) override { changed_.wait(lock); }
  void wait_until(std::unique_lock<std::mutex>& lock, double seconds) override {
    const std::chrono::duration<double> since(seconds);
    changed_.wait_until(lock,
                        Steady::time_point(std::chrono::duration_cast<Steady::duration>(since)));
  }
  void notify_all() override { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

class MachineClock final : public Clock {
 public:
  double now() override {
    return std::chrono::duration<double>(Steady::now().time_since_epoch()).count();
  }
  std::thread start(std::function<void()> body) override { return std::thread(std::move(body)); }
  void join(std::thread& thread) override { thread.join(); }
  std::unique_ptr<Condition> condition() override { return std::make_unique<MachineCondition>(); }
};

}  // namespace

void Clock::sleep(double seconds) {
  const double until = now() + seconds;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  for (const auto never = condition(); now() < until;) never->wait_until(lock, until);
}

Clock& machine_clock() {
  static MachineClock clock;  // holds nothing
  return clock;
}

}  // namespace arlab::collectives
