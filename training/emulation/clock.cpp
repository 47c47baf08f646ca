#include "training/emulation/clock.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "training/emulation/seconds.hpp"

namespace arlab::training {
namespace {

class EmulatedCondition {
 public:
  explicit EmulatedCondition(CooperativeScheduler& scheduler) : scheduler_(scheduler) {}

  void wait(std::unique_lock<std::mutex>& lock) { wait(lock, simulator::kNever); }
  void wait_until(std::unique_lock<std::mutex>& lock, double seconds) {
    wait(lock, time_at(seconds));
  }
  void notify_all() {
    scheduler_.self();
    for (CooperativeScheduler::Actor* waiter : std::exchange(waiters_, {}))
      scheduler_.wake(*waiter);
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock, Time until) {
    CooperativeScheduler::Actor& self = scheduler_.self();
    scheduler_.throw_if_canceled();
    waiters_.push_back(&self);
    lock.unlock();
    scheduler_.wait(
        self, [] { return std::string("waits for a condition"); }, until);
    lock.lock();
    std::erase(waiters_, &self);
    scheduler_.throw_if_canceled();
  }

  CooperativeScheduler& scheduler_;
  std::vector<CooperativeScheduler::Actor*> waiters_;
};

}  // namespace

double EmulatedClock::now() {
  scheduler_.self();
  return seconds(scheduler_.now());
}

void EmulatedClock::begin_compute(double duration) {
  CooperativeScheduler::Actor& self = scheduler_.self();
  if (!(duration >= 0))
    fail(Blame::usage, "a computation takes " + std::to_string(duration) +
                           " seconds: use a finite time of 0 or more");
  const double chance = static_cast<double>(random_(draws_++) >> 11) * 0x1p-53;
  const double factor = slowdown_.factor * (1 + slowdown_.jitter * chance);
  scheduler_.begin_compute(self, to_time(duration * factor * kPicosecondsPerSecond));
}

std::thread EmulatedClock::start(std::function<void()> body) {
  scheduler_.self();
  scheduler_.throw_if_canceled();
  CooperativeScheduler::Actor& actor = scheduler_.add_actor(rank_);
  std::thread thread([this, &actor, body = std::move(body)]() mutable {
    scheduler_.run(actor, std::exchange(body, nullptr));
  });
  scheduler_.begin(actor, thread.get_id());
  return thread;
}

collectives::Condition EmulatedClock::condition() {
  const auto state = std::make_shared<EmulatedCondition>(scheduler_);
  return {.wait = [state](std::unique_lock<std::mutex>& lock) { state->wait(lock); },
          .wait_until = [state](std::unique_lock<std::mutex>& lock,
                                double seconds) { state->wait_until(lock, seconds); },
          .notify_all = [state] { state->notify_all(); }};
}

}  // namespace arlab::training
