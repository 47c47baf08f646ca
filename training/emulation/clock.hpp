// EmulatedClock: the time that one virtual rank and its threads live in.
#pragma once

#include <memory>

#include "algorithms/base/random.hpp"
#include "collectives/clock.hpp"
#include "training/emulation/cooperative_scheduler.hpp"

namespace arlab::training {

class EmulatedClock final : public collectives::Clock {
 public:
  /// All that the rank computes takes `slowdown` times as long as it says, and up to `jitter` of
  /// that again, by chance.
  struct ComputeModel {
    double slowdown = 1;
    double jitter = 0;
    std::uint64_t seed = 0;
  };

  EmulatedClock(CooperativeScheduler& kernel, Rank rank, const ComputeModel& pace)
      : kernel_(kernel),
        rank_(rank),
        pace_(pace),
        random_(Random(pace.seed).of(static_cast<std::uint64_t>(rank))) {}

  double now() override;
  /// Throws Error(usage) for a negative or endless time.
  void leave(double seconds) override;
  void arrive() override { kernel_.arrive(); }
  std::thread start(std::function<void()> body) override;
  void join(std::thread& thread) override { kernel_.join(thread); }
  std::unique_ptr<collectives::Condition> condition() override;

 private:
  CooperativeScheduler& kernel_;
  Rank rank_;
  ComputeModel pace_;
  Random random_;
  std::uint64_t draws_ = 0;
};

}  // namespace arlab::training
