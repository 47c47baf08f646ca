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

class VirtualCondition final : public collectives::Condition {
 public:
  explicit VirtualCondition(CooperativeScheduler& kernel) : kernel_(kernel) {}

  void wait(std::unique_lock<std::mutex>& lock) override { wait(lock, simulator::kNever); }
  void wait_until(std::unique_lock<std::mutex>& lock, double seconds) override {
    wait(lock, time_at(seconds));
  }
  void notify_all() override {
    kernel_.self();
    for (CooperativeScheduler::Actor* waiter : std::exchange(waiters_, {})) kernel_.wake(*waiter);
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock, Time until) {
    CooperativeScheduler::Actor& self = kernel_.self();
    kernel_.leave_if_called_off();
    waiters_.push_back(&self);
    lock.unlock();
    kernel_.wait(
        self, [] { return std::string("waits for a condition"); }, until);
    lock.lock();
    std::erase(waiters_, &self);
    kernel_.leave_if_called_off();
  }

  CooperativeScheduler& kernel_;
  std::vector<CooperativeScheduler::Actor*> waiters_;
};

}  // namespace

double EmulatedClock::now() {
  kernel_.self();
  return seconds(kernel_.now());
}

void EmulatedClock::leave(double duration) {
  CooperativeScheduler::Actor& self = kernel_.self();
  if (!(duration >= 0))
    fail(Blame::usage,
         "a computation of " + std::to_string(duration) + " seconds: give a time of 0 or more");
  const double chance = static_cast<double>(random_(draws_++) >> 11) * 0x1p-53;
  const double factor = pace_.slowdown * (1 + pace_.jitter * chance);
  kernel_.leave(self, to_time(duration * factor * kPicosecondsPerSecond));
}

std::thread EmulatedClock::start(std::function<void()> body) {
  kernel_.self();
  kernel_.leave_if_called_off();
  CooperativeScheduler::Actor& actor = kernel_.enlist(rank_);
  std::thread thread([this, &actor, body = std::move(body)]() mutable {
    kernel_.run(actor, std::exchange(body, nullptr));
  });
  kernel_.begin(actor, thread.get_id());
  return thread;
}

std::unique_ptr<collectives::Condition> EmulatedClock::condition() {
  return std::make_unique<VirtualCondition>(kernel_);
}

}  // namespace arlab::training
