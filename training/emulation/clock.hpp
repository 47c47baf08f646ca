// EmulatedClock: the simulated time of one emulated rank and its threads.
#pragma once

#include <memory>

#include "algorithms/base/random.hpp"
#include "collectives/clock.hpp"
#include "training/emulation/cooperative_scheduler.hpp"

namespace arlab::training {

class EmulatedClock final : public collectives::Clock {
 public:
  /// Each computation of the rank takes `factor` times its declared duration, and randomly up to
  /// `jitter` times that in addition.
  struct Slowdown {
    double factor = 1;
    double jitter = 0;
    std::uint64_t seed = 0;
  };

  EmulatedClock(CooperativeScheduler& scheduler, Rank rank, const Slowdown& slowdown)
      : scheduler_(scheduler),
        rank_(rank),
        slowdown_(slowdown),
        random_(Random(slowdown.seed).of(static_cast<std::uint64_t>(rank))) {}

  double now() override;
  /// Throws Error(usage) for a negative or infinite time.
  void begin_compute(double seconds) override;
  void end_compute() override { scheduler_.end_compute(); }
  std::thread start(std::function<void()> body) override;
  void join(std::thread& thread) override { scheduler_.join(thread); }
  collectives::Condition condition() override;

 private:
  CooperativeScheduler& scheduler_;
  Rank rank_;
  Slowdown slowdown_;
  Random random_;
  std::uint64_t draws_ = 0;
};

}  // namespace arlab::training
