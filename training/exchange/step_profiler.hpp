// MeasuredTimes: what schedulers are made from: how long each variable's passes take, and what an
// allreduce costs by its size.
#pragma once

#include <vector>

#include "collectives/clock.hpp"
#include "training/exchange/route.hpp"
#include "training/schedulers/profile.hpp"

namespace arlab::training {

/// One rank's steps as it is told of them.
class StepProfiler {
 public:
  StepProfiler(collectives::Clock& clock, std::size_t variables)
      : clock_(&clock), times_(variables) {}

  void start_step();
  /// The forward pass is about to use the variable.
  void need(std::size_t variable);
  /// The backward pass has come to its gradient; the next word's time begins at resume().
  void ready(std::size_t variable);
  void resume() { last_ = clock_->now(); }
  int steps() const { return steps_; }

  /// Sets the profile's times to those of the slowest rank, for which all others wait. Every rank
  /// calls it, after as many steps.
  void agree(collectives::Communicator& communicator, Profile& profile) const;

 private:
  struct Seconds {
    double forward = 0, backward = 0;
  };
  double lap();

  collectives::Clock* clock_;
  std::vector<Seconds> times_;  // of all steps together, by variable
  int steps_ = 0;
  double last_ = 0;           // when the last word came
  std::size_t variable_ = 0;  // of which
  bool forward_ = true;
};

/// From a small and a large allreduce by the route, the best of a few of each. Every rank calls it,
/// and all get the same.
LinkCost measured_link(collectives::Communicator& communicator, const Route& route);

}  // namespace arlab::training
